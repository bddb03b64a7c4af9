package dev.cdioutbox.internal.store;

import java.time.Instant;

/**
 * The database's clock: read once, then advanced by the monotonic clock of this machine. Stored times are never
 * compared with the JVM's clock.
 */
public final class DatabaseClock {
    private final Instant readTime;
    private final long nanos;

    private DatabaseClock(Instant read, long nanos) {
        this.readTime = read;
        this.nanos = nanos;
    }

    /** A clock that shows this time now. */
    public static DatabaseClock at(Instant now) {
        return new DatabaseClock(now, System.nanoTime());
    }

    /** The time by the database's clock. */
    public Instant now() {
        return readTime.plusNanos(System.nanoTime() - nanos);
    }
}
