package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.settle.Retry;

/** A failed message, and what becomes of it. */
record Charge(OutboxMessage message, Retry retry, Throwable cause) {

    /** The ordering key of the message; null without one. */
    String key() {
        return message.orderingKey();
    }

    /** The same charge, with another time until the retry. */
    Charge withDelay(Duration delay) {
        return new Charge(message, retry.withDelay(delay), cause);
    }

    boolean isAbandoned() {
        return retry.status() == OutboxStatus.ABANDONED;
    }
}
