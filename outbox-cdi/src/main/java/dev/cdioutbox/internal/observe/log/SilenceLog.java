package dev.cdioutbox.internal.observe.log;

import java.time.Duration;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.spi.DestinationId;

/**
 * Logs once what fails no run of a destination, so that no other line reports it: a thread waits for the broker or the database
 * for long, as some JMS clients do without end if a broker does not answer; or the destination may be at fault although the
 * broker answers.
 */
@ApplicationScoped
public class SilenceLog implements DispatchListener {
    private static final Logger LOG = Logger.getLogger(SilenceLog.class.getName());

    private final Reported<DestinationId> silent = new Reported<>();
    private final Reported<DestinationId> failed = new Reported<>();

    @Inject
    Gauges gauges;

    @Override
    public void ticked() {
        gauges.destinations().forEach((destination, state) -> {
            Finding failing = state.failing();
            if (failing == null) {
                failed.end(destination);
            } else if (failed.begin(destination)) {
                LOG.warning(failing.toString());
            }
            if (!state.isSilent()) {
                silent.end(destination);
            } else if (silent.begin(destination)) {
                Duration silence = Duration.ofSeconds(state.silence().toSeconds());
                LOG.warning(OutboxCode.BROKER_SILENT.text(destination, silence));
            }
        });
    }
}
