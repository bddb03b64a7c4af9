package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * The records of idempotent consumers.
 *
 * @param retention how long a consumer recognizes a duplicate
 */
public record InboxConfig(MissingId missingId, Duration retention) {

    /** The id of a message without a {@code messageId}. */
    public enum MissingId {
        JMS_MESSAGE_ID,
        REFUSE
    }
}
