package dev.cdioutbox.internal.dispatch.upkeep;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.dispatch.crash.NodeHeartbeat;
import dev.cdioutbox.internal.dispatch.listener.ListenerNotifier;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Checks the tables, reads the backlog and writes the heartbeat, for health checks and metrics. Each step is a separate
 * container call and returns its connection: a held connection could block business threads when the pool is exhausted.
 */
public final class StatusRefresh {
    private static final Logger LOG = Logger.getLogger(StatusRefresh.class.getName());
    private static final String LOOKING = "looking at the tables";

    private final String outbox;
    private final String application;
    private final String module;
    private final OutboxStore store;
    private final Transactions transactions;
    private final NodeHeartbeat heartbeat;
    private final ListenerNotifier listeners;
    private final List<InDoubtTracker> inDoubt;
    private Set<String> reportedModules = Set.of();

    public StatusRefresh(
            OutboxConfig config,
            NodeIdentity node,
            OutboxStore store,
            Transactions transactions,
            NodeHeartbeat heartbeat,
            ListenerNotifier listeners,
            List<InDoubtTracker> inDoubt) {
        this.outbox = config.outbox();
        this.application = config.store().application();
        this.module = node.module();
        this.store = store;
        this.transactions = transactions;
        this.heartbeat = heartbeat;
        this.listeners = listeners;
        this.inDoubt = List.copyOf(inDoubt);
    }

    /**
     * Checks the tables that store events.
     *
     * @throws OutboxException OBX-0302 if the database fails; the listeners were notified
     */
    public void checkTables() {
        try {
            String problem = Transactions.callStore(transactions, LOOKING, store::problem);
            listeners.notifyEach(l -> l.storeChecked(outbox, problem));
        } catch (RuntimeException e) {
            listeners.notifyEach(l -> l.storeChecked(outbox, Problem.reason(e)));
            throw e;
        }
    }

    /**
     * Writes the heartbeat, reads the backlog, checks the rows in doubt and looks for other modules that dispatch the
     * same messages, on the dispatcher's connections. Separate from {@link #checkTables}, since capture works even if
     * the dispatcher's pool is exhausted.
     *
     * @throws OutboxException OBX-0302 if the database fails; the listeners see that the backlog is not updated
     */
    public void refreshBacklog() {
        heartbeat.beat();
        OutboxBacklog backlog = Transactions.callStore(transactions, LOOKING, store::backlog);
        listeners.notifyEach(l -> l.backlog(outbox, backlog));
        inDoubt.forEach(InDoubtTracker::refresh);
        Set<String> others = otherModules(Transactions.callStore(transactions, LOOKING, store::nodes));
        listeners.notifyEach(l -> l.sharedWith(outbox, others));
        report(others);
    }

    private Set<String> otherModules(List<OutboxNode> nodes) {
        return nodes.stream()
                .filter(OutboxNode::isAlive)
                .map(OutboxNode::module)
                .filter(other -> !other.equals(module))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Logs each different set once. */
    private synchronized void report(Set<String> others) {
        if (!others.isEmpty() && !others.equals(reportedModules)) {
            LOG.warning(Problem.SHARED_APPLICATION.text(application, module, String.join(", ", others)));
        }
        reportedModules = others;
    }
}
