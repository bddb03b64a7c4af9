package dev.cdioutbox.internal.dispatch;

import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.internal.store.operate.BacklogReader;
import dev.cdioutbox.internal.store.operate.HeldUpKeyCounter;
import dev.cdioutbox.operate.OutboxBacklog;

/**
 * Reads the backlog of an outbox for the listeners, when {@code OutboxTimer.BACKLOG} calls. On failure they keep the last one and its age grows; the workers report the
 * unreachable database. Thread-safe.
 */
final class BacklogWatch {
    private static final Logger LOG = Logger.getLogger(BacklogWatch.class.getName());

    private final BacklogReader reader;
    private final HeldUpKeyCounter heldUp;
    private final Environment environment;
    private final String outbox;
    private final Set<String> destinations;
    private final Reported<String> unserved = new Reported<>();
    /** By the last backlog; a destination that is being backfilled counts as paused. */
    private volatile boolean isAnyPaused;

    /** @param config the configuration at the start, whose destinations have the workers */
    BacklogWatch(BacklogReader reader, HeldUpKeyCounter heldUp, OutboxConfig config, Environment environment) {
        this.reader = reader;
        this.heldUp = heldUp;
        this.environment = environment;
        outbox = config.outbox();
        destinations = config.dispatch().keySet();
    }

    void refresh() {
        try {
            OutboxBacklog backlog = environment.outside(reader::backlog);
            environment.notifyEach(l -> l.backlog(outbox, backlog));
            isAnyPaused = !backlog.paused().isEmpty();
            reportUnserved(backlog);
            countBlockedKeys(backlog);
        } catch (Exception e) {
            LOG.log(Level.FINE, "the backlog could not be read; the next call reads it", e);
        }
    }

    /** A key is blocked by a message that has failed or was abandoned. Where there is none, no statement asks. */
    private void countBlockedKeys(OutboxBacklog backlog) throws Exception {
        boolean hasFailures = backlog.failed() + backlog.abandoned() > 0;
        Map<String, HeldUpKeys> keys = hasFailures ? environment.outside(heldUp::blocked) : Map.of();
        environment.notifyEach(l -> l.keysBlocked(outbox, keys));
    }

    boolean isAnyPaused() {
        return isAnyPaused;
    }

    /**
     * Warns of messages that wait for a destination without a worker on this node. After a removal or rename of a
     * destination in the configuration, its messages wait, and no failing delivery reports them.
     */
    private void reportUnserved(OutboxBacklog backlog) {
        Set<String> found = NodeFindings.unserved(backlog, destinations);
        if (!unserved.beginOnly(found).isEmpty()) {
            LOG.warning(OutboxCode.UNSERVED_DESTINATIONS.text(outbox, found, destinations));
        }
    }
}
