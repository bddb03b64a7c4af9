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
final class StatusRefresh {
    private static final String LOOKING = "looking at the tables";

    private final OutboxStore store;
    private final Transactions transactions;
    private final NodeHeartbeat heartbeat;
    private final ListenerNotifier listeners;

    StatusRefresh(OutboxStore store, Transactions transactions, NodeHeartbeat heartbeat, ListenerNotifier listeners) {
        this.store = store;
        this.transactions = transactions;
        this.heartbeat = heartbeat;
        this.listeners = listeners;
    }

    /**
     * Looks whether events can be stored.
     *
     * @throws OutboxException OBX-0302 if the database fails; those who look on were told
     */
    void checkTables() {
        try {
            String problem = Transactions.callStore(transactions, LOOKING, store::problem);
            listeners.notifyEach(l -> l.storeChecked(problem));
        } catch (RuntimeException e) {
            listeners.notifyEach(l -> l.storeChecked(Problem.reason(e)));
            throw e;
        }
    }

    /**
     * Reads what waits, where the dispatcher does. That is apart from the look: it may be another pool of connections, without
     * which events are stored all the same.
     *
     * @throws OutboxException OBX-0302 if the database fails; those who look on see that nothing is told
     */
    void refreshBacklog() {
        heartbeat.beat();
        OutboxBacklog backlog = Transactions.callStore(transactions, LOOKING, store::backlog);
        listeners.notifyEach(l -> l.backlog(backlog));
    }
}
