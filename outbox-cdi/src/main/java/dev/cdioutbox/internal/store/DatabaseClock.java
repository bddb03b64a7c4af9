package dev.cdioutbox.internal.store;

import java.time.Instant;

/**
 * The database's clock: one reading, advanced by the monotonic clock of this machine. The outbox never compares stored
 * times with the JVM's wall clock.
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
