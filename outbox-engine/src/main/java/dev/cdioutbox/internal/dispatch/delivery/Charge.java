package dev.cdioutbox.internal.dispatch.delivery;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.settle.Retry;

/** A failed message, and what becomes of it. */
record Charge(OutboxMessage message, Retry retry, Throwable cause) {

    boolean isAbandoned() {
        return retry.status() == OutboxStatus.ABANDONED;
    }
}
