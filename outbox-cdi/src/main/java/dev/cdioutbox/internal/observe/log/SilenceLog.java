package dev.cdioutbox.internal.observe.log;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.observe.Gauges;

/**
 * Logs once when a thread of a destination waits for the broker or the database for long. Such a thread fails no run, so no
 * other line reports it: some JMS clients wait without end for a broker that does not answer.
 */
@ApplicationScoped
public class SilenceLog implements DispatchListener {
    private static final Logger LOG = Logger.getLogger(SilenceLog.class.getName());

    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    @Inject
    Gauges gauges;

    @Override
    public void ticked() {
        gauges.destinations().forEach((destination, state) -> {
            if (!state.isSilent()) {
                reported.remove(destination);
            } else if (reported.add(destination)) {
                Duration silence = Duration.ofSeconds(state.silence().toSeconds());
                LOG.warning(OutboxCode.BROKER_SILENT.text(destination, silence));
            }
        });
    }
}
