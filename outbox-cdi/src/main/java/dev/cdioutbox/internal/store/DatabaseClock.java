package dev.cdioutbox.internal.store;

import java.time.Instant;

/**
 * The database's clock as it stood at a moment, and on from there by what has gone by on this machine: what was stored by
 * the one clock is never compared with the other.
 */
public final class DatabaseClock {
    private final Instant readTime;
    private final long nanos;

    private DatabaseClock(Instant read, long nanos) {
        this.readTime = read;
        this.nanos = nanos;
    }

    /** Which shows this time now. */
    public static DatabaseClock at(Instant now) {
        return new DatabaseClock(now, System.nanoTime());
    }

    /** The time by the database's clock. */
    public Instant now() {
        return readTime.plusNanos(System.nanoTime() - nanos);
    }
}
