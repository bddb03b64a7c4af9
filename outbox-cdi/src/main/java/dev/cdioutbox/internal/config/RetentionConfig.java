package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * How long messages stay that nothing more is to be done with, and what becomes of them then.
 *
 * @param published from the publishing, or from when it was found that a message had expired; zero to be deleted as it is settled
 * @param abandoned from the last attempt
 */
public record RetentionConfig(Duration published, Duration abandoned, Mode mode, Payload payload) {
    /** As if nothing were configured. */
    public static final RetentionConfig DEFAULT =
            new RetentionConfig(Duration.ofHours(72), Duration.ofDays(30), Mode.DELETE, Payload.KEEP);

    public enum Mode {
        DELETE,
        /** Moved to a table of their own. */
        ARCHIVE
    }

    public enum Payload {
        KEEP,
        /** Made empty as the message is settled. */
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
