package dev.cdioutbox.internal.dispatch.delivery;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/** Probes a destination in a new transaction, by a message that no consumer sees. */
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
     * Checks in a transaction that is rolled back whether broker and database both take part with XA. A commit alone
     * does not prove that: the container may let one resource without XA join.
     *
     * @return whether both do; null if the container does not tell
     * @throws Exception if the broker or the database does not answer
     */
    public Boolean isXa(String destination) throws Exception {
        AtomicReference<Optional<Boolean>> onePhase = new AtomicReference<>();
        try {
            transactions.inNew(() -> {
                publisher.probe(destination);
                store.writeHeartbeat(node);
                onePhase.set(Optional.ofNullable(transactions.hasOnePhaseResource()));
                throw new CheckDone();
            });
        } catch (Exception e) {
            if (onePhase.get() == null) {
                throw e;
            }
        }
        return onePhase.get().map(one -> !one).orElse(null);
    }

    /** Rolls the transaction of a check back. */
    private static final class CheckDone extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /**
     * With exactly-once, broker and database commit one transaction with two branches.
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
