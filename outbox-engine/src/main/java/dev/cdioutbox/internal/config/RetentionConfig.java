package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * How long the outbox keeps finished messages, and how it removes them.
 *
 * @param published the time from publishing or expiry; zero to delete with the settlement
 * @param abandoned the time from the last attempt
 * @param archives whether the purge moves messages to the archive table instead of deleting them
 * @param erases whether the settlement empties the payload
 */
public record RetentionConfig(Duration published, Duration abandoned, boolean archives, boolean erases) {
    /** The defaults. */
    public static final RetentionConfig DEFAULT =
            new RetentionConfig(Duration.ofHours(72), Duration.ofDays(30), false, false);

    public boolean leavesWhenPublished() {
        return published.isZero();
    }
}
