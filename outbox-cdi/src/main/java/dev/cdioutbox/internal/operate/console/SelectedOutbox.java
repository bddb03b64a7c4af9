package dev.cdioutbox.internal.operate.console;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.operate.BatchedOperations;
import dev.cdioutbox.internal.store.OperatorStore;

/**
 * The outbox that a console request selects, with its operations.
 *
 * @param node this process's id among the dispatching nodes; null if it does not dispatch
 */
record SelectedOutbox(OpenOutbox outbox, BatchedOperations operations, String node) {

    OutboxConfig config() {
        return outbox.config().current();
    }

    NodeList nodes() {
        return new NodeList(operations.nodes(), node, config().dispatcher().enabled());
    }

    /** The label of a message's destination, which is unique across outboxes. */
    String label(OutboxMessage message) {
        return outbox.label(message.delivery().destination());
    }

    /** For queries that the operations do not offer. */
    OperatorStore operatorStore() {
        return outbox.store().operations();
    }
}
