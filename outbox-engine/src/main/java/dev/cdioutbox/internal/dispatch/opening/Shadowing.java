package dev.cdioutbox.internal.dispatch.opening;

import java.util.Objects;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.operate.BacklogReader;
import dev.cdioutbox.spi.DestinationId;

/**
 * The shadow destination of one worker, and the log lines that say when shadowing begins and ends, with the last shadowed
 * sequence. Shadowing also ends when the dispatcher is disabled, so that no message beyond this sequence gets a mark.
 */
final class Shadowing {
    private static final Logger LOG = Logger.getLogger(Shadowing.class.getName());

    private final DestinationId destination;
    private final Environment environment;
    private final BacklogReader messages;
    /** The shadow destination of the last batch; null if it was not shadowed. */
    private volatile String current;

    Shadowing(DestinationId destination, Environment environment, BacklogReader messages) {
        this.destination = destination;
        this.environment = environment;
        this.messages = messages;
    }

    /** Whether the configuration asks for another destination than the last batch had. */
    boolean isChanged(DispatcherConfig config) {
        return !Objects.equals(current, wanted(config));
    }

    /** @return null if nothing is to be shadowed */
    private static String wanted(DispatcherConfig config) {
        return config.enabled() ? config.shadowDestination() : null;
    }

    /** Call this on the only thread of the worker: others may still send to the previous destination. */
    void change(DispatcherConfig config) throws Exception {
        if (current != null) {
            Long highest = environment.outside(() -> messages.highestShadowed(destination.name()));
            LOG.info(OutboxCode.SHADOWING_ENDED.text(destination, highest == null ? "none" : highest));
        }
        current = wanted(config);
        if (current != null) {
            LOG.info(OutboxCode.SHADOWING_BEGINS.text(
                    destination, current.equals(DispatcherConfig.DISCARD) ? "nowhere" : "to '" + current + "'"));
        }
    }
}
