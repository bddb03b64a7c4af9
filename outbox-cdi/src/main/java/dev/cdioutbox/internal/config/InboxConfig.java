package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * What consumers remember.
 *
 * @param retention how long a message that comes again is known
 */
public record InboxConfig(MissingId missingId, Duration retention) {

    /** What identifies a message without a {@code messageId}. */
    public enum MissingId {
        JMS_MESSAGE_ID,
        REFUSE
    }
}
