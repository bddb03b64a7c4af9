package dev.cdioutbox.internal.dispatch;

import java.util.function.IntSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Looks at the tables for those who look on, and keeps this node's row. Each step is a call of its own to the container and
 * gives its connection back: one that were held while the next is waited for would stand in the way of business threads
 * that use up the pool.
 */
final class Watch {
    private static final Logger LOG = Logger.getLogger(Watch.class.getName());

    private static final String LOOKING = "looking at the tables";

    private final OutboxStore store;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final IntSupplier partitionsHeld;
    private final Listeners listeners;

    Watch(
            OutboxStore store,
            Transactions transactions,
            NodeIdentity node,
            IntSupplier partitionsHeld,
            Listeners listeners) {
        this.store = store;
        this.transactions = transactions;
        this.node = node;
        this.partitionsHeld = partitionsHeld;
        this.listeners = listeners;
    }

    void register() {
        try {
            transactions.inNew(() -> {
                store.touch(node, partitionsHeld.getAsInt());
                return null;
            });
        } catch (Exception e) {
            // The next look writes it, and the lanes report the database if it is still away then.
            LOG.log(Level.FINE, e, () -> "this node's row could not be written: " + Problem.reason(e));
        }
    }

    /** @throws OutboxException OBX-0302 if the database fails; those who look on were told */
    void look() {
        try {
            String problem = Transactions.apart(transactions, LOOKING, store::problem);
            listeners.tell(l -> l.storeSeen(problem));
            register();
            OutboxBacklog backlog = Transactions.apart(transactions, LOOKING, store::backlog);
            listeners.tell(l -> l.backlog(backlog));
        } catch (RuntimeException e) {
            listeners.tell(l -> l.storeSeen(Problem.reason(e)));
            throw e;
        }
    }
}
