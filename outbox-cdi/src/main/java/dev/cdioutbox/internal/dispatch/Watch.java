package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Looks at the tables for those who look on, and has this node's row written. Each step is a call of its own to the container and
 * gives its connection back: one that were held while the next is waited for would stand in the way of business threads
 * that use up the pool.
 */
final class Watch {
    private static final String LOOKING = "looking at the tables";

    private final OutboxStore store;
    private final Transactions transactions;
    private final Presence presence;
    private final Listeners listeners;

    Watch(OutboxStore store, Transactions transactions, Presence presence, Listeners listeners) {
        this.store = store;
        this.transactions = transactions;
        this.presence = presence;
        this.listeners = listeners;
    }

    /** @throws OutboxException OBX-0302 if the database fails; those who look on were told */
    void look() {
        try {
            String problem = Transactions.apart(transactions, LOOKING, store::problem);
            listeners.tell(l -> l.storeSeen(problem));
            presence.tell();
            OutboxBacklog backlog = Transactions.apart(transactions, LOOKING, store::backlog);
            listeners.tell(l -> l.backlog(backlog));
        } catch (RuntimeException e) {
            listeners.tell(l -> l.storeSeen(Problem.reason(e)));
            throw e;
        }
    }
}
