package dev.cdioutbox.internal.operate.console;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.operate.BatchedOperations;
import dev.cdioutbox.internal.store.OperatorStore;

/**
 * The one of the application's outboxes that is looked at, and its operations in transactions.
 *
 * @param node what this process is called among those that dispatch; null if it does not
 */
record SelectedOutbox(OpenOutbox outbox, BatchedOperations operations, String node) {

    OutboxConfig config() {
        return outbox.config().current();
    }

    NodeList nodes() {
        return new NodeList(operations.nodes(), node, config().dispatcher().enabled());
    }

    /** What a message's destination is called where those of several outboxes meet. */
    String label(OutboxMessage message) {
        return outbox.label(message.delivery().destination());
    }

    /** What the operations rest on, for what they do not offer. */
    OperatorStore operatorStore() {
        return outbox.store().operations();
    }
}
