package dev.cdioutbox.internal.dispatch.ownership;

import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.spi.DestinationId;

/**
 * Warns of another node that owns a destination for a minute and settles nothing. If the node is suspended, its lock
 * lasts as long as its database session, and no message is sent meanwhile. Thread-safe.
 */
public final class ForeignOwnerMonitor {
    private static final Logger LOG = Logger.getLogger(ForeignOwnerMonitor.class.getName());

    /** A node that works ends its batch by then, and one whose broker does not answer reports that itself. */
    private static final Duration REPORT_AFTER = Duration.ofMinutes(1);

    private final DestinationId destination;
    private final LongSupplier nanos;
    /** Null while no other session is known to own the destination. */
    private Lock lock;

    /**
     * What claims have found since a moment.
     *
     * @param token another one after each settled batch; null before the first one
     * @param since of the monotonic clock
     */
    private record Lock(FencingToken token, long since, boolean isReported) {}

    /** @param nanos a monotonic clock in nanoseconds */
    ForeignOwnerMonitor(DestinationId destination, LongSupplier nanos) {
        this.destination = destination;
        this.nanos = nanos;
    }

    /**
     * A claim found messages, and another session's lock.
     *
     * @param token null if the other node has never settled a batch
     */
    synchronized void found(FencingToken token) {
        long now = nanos.getAsLong();
        if (lock == null || !Objects.equals(lock.token, token)) {
            lock = new Lock(token, now, false);
        }
        Duration lasts = Duration.ofNanos(now - lock.since);
        if (!lock.isReported && lasts.compareTo(REPORT_AFTER) >= 0) {
            LOG.warning(OutboxCode.OWNED_ELSEWHERE.text(destination, Duration.ofSeconds(lasts.toSeconds())));
            lock = new Lock(token, lock.since, true);
        }
    }

    /** A claim found no lock, or nothing to send. */
    synchronized void ended() {
        lock = null;
    }
}
