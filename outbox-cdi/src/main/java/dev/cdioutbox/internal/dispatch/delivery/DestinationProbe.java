package dev.cdioutbox.internal.dispatch.delivery;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/** Probes a destination in a new transaction, with a message that no consumer gets. */
public final class DestinationProbe {
    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final NodeIdentity node;

    public DestinationProbe(
            OutboxStore store, OutboxPublisher publisher, Transactions transactions, NodeIdentity node) {
        this.store = store;
        this.publisher = publisher;
        this.transactions = transactions;
        this.node = node;
    }

    /**
     * Probes once. With exactly-once, broker and database commit one transaction with two branches.
     *
     * @throws Exception if the destination does not answer, or the transaction cannot commit
     */
    public void probe(String destination, Guarantee guarantee) throws Exception {
        transactions.inNew(() -> {
            publisher.probe(destination);
            if (guarantee == Guarantee.EXACTLY_ONCE) {
                store.writeHeartbeat(node);
            }
            return null;
        });
    }
}
