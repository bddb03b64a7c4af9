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

    /**
     * Looks whether events can be stored.
     *
     * @throws OutboxException OBX-0302 if the database fails; those who look on were told
     */
    void look() {
        try {
            String problem = Transactions.apart(transactions, LOOKING, store::problem);
            listeners.tell(l -> l.storeSeen(problem));
        } catch (RuntimeException e) {
            listeners.tell(l -> l.storeSeen(Problem.reason(e)));
            throw e;
        }
    }

    /**
     * Reads what waits, where the dispatcher does. That is apart from the look: it may be another pool of connections, without
     * which events are stored all the same.
     *
     * @throws OutboxException OBX-0302 if the database fails; those who look on see that nothing is told
     */
    void read() {
        presence.tell();
        OutboxBacklog backlog = Transactions.apart(transactions, LOOKING, store::backlog);
        listeners.tell(l -> l.backlog(backlog));
    }
}
