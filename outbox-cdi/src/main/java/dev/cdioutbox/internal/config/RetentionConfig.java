package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * How long the outbox keeps finished messages, and how it removes them.
 *
 * @param published the time from publishing or expiry; zero to delete with the settlement
 * @param abandoned the time from the last attempt
 */
public record RetentionConfig(Duration published, Duration abandoned, Mode mode, Payload payload) {
    /** The defaults. */
    public static final RetentionConfig DEFAULT =
            new RetentionConfig(Duration.ofHours(72), Duration.ofDays(30), Mode.DELETE, Payload.KEEP);

    public enum Mode {
        DELETE,
        /** Move messages to the archive table. */
        ARCHIVE
    }

    public enum Payload {
        KEEP,
        /** Empty the payload with the settlement. */
        ERASE
    }

    public boolean leavesWhenPublished() {
        return published.isZero();
    }

    public boolean archives() {
        return mode == Mode.ARCHIVE;
    }

    public boolean erases() {
        return payload == Payload.ERASE;
    }
}
