package dev.cdioutbox.internal.store;

import java.time.Instant;

/**
 * The database's clock: one reading, advanced by the monotonic clock of this machine. The outbox never compares stored
 * times with the JVM's wall clock.
 *
 * @param nanos the monotonic clock at the reading
 */
public record DatabaseClock(Instant readTime, long nanos) {

    /** A clock that shows this time now. */
    public static DatabaseClock at(Instant now) {
        return new DatabaseClock(now, System.nanoTime());
    }

    /** The time by the database's clock. */
    public Instant now() {
        return readTime.plusNanos(System.nanoTime() - nanos);
    }
}
