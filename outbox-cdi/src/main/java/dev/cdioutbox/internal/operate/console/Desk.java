package dev.cdioutbox.internal.operate.console;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.operate.PortionedOperations;
import dev.cdioutbox.internal.store.Operations;

/** The one of the application's outboxes that is looked at, and its operations in transactions. */
record Desk(OpenOutbox outbox, PortionedOperations operations) {

    OutboxConfig config() {
        return outbox.config().current();
    }

    /** What the operations rest on, for what they do not offer. */
    Operations tables() {
        return outbox.store().operations();
    }
}
