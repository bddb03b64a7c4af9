package dev.cdioutbox.internal.dispatch.upkeep;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.NodeHeartbeat;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Checks the tables, reads the backlog and writes the heartbeat, for health checks and metrics. Each step is a separate
 * container call and returns its connection: a held connection could block business threads when the pool is exhausted.
 */
public final class StatusRefresh {
    private static final Logger LOG = Logger.getLogger(StatusRefresh.class.getName());
    private static final String LOOKING = "looking at the tables";

    private final Environment environment;
    private final String outbox;
    private final NodeHeartbeat heartbeat;
    private final List<InDoubtTracker> inDoubt;
    private final Set<String> served;
    private Set<String> reportedUnserved = Set.of();
    private Set<String> reportedModules = Set.of();

    public StatusRefresh(Environment environment, NodeHeartbeat heartbeat, List<InDoubtTracker> inDoubt) {
        this.environment = environment;
        this.outbox = environment.config().outbox();
        this.served = environment.config().destinations().keySet();
        this.heartbeat = heartbeat;
        this.inDoubt = List.copyOf(inDoubt);
    }

    /**
     * Checks the tables that store events.
     *
     * @throws OutboxException OBX-0302 if the database fails; the listeners were notified
     */
    public void checkTables() {
        try {
            String problem = environment.callStore(LOOKING, environment.store()::problem);
            environment.notifyEach(l -> l.storeChecked(outbox, problem));
        } catch (RuntimeException e) {
            environment.notifyEach(l -> l.storeChecked(outbox, Problem.reason(e)));
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
        OutboxBacklog backlog = environment.callStore(LOOKING, environment.store()::backlog);
        environment.notifyEach(l -> l.backlog(outbox, backlog));
        reportUnserved(backlog);
        inDoubt.forEach(InDoubtTracker::refresh);
        Set<String> others = otherModules(environment.callStore(LOOKING, environment.store()::nodes));
        environment.notifyEach(l -> l.sharedWith(outbox, others));
        report(others);
    }

    /**
     * Warns of messages that wait for a destination without a worker on this node. After a removal or rename of a
     * destination in the configuration, its messages wait, and no failing delivery reports them.
     */
    private synchronized void reportUnserved(OutboxBacklog backlog) {
        Set<String> unserved = new TreeSet<>(backlog.oldestOf().keySet());
        unserved.removeAll(served);
        if (!reportedUnserved.containsAll(unserved)) {
            LOG.warning(Problem.UNSERVED_DESTINATIONS.text(outbox, unserved, served));
        }
        reportedUnserved = unserved;
    }

    private Set<String> otherModules(List<OutboxNode> nodes) {
        return nodes.stream()
                .filter(OutboxNode::isAlive)
                .map(OutboxNode::module)
                .filter(other -> !other.equals(environment.node().module()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Logs each different set once. */
    private synchronized void report(Set<String> others) {
        if (!others.isEmpty() && !others.equals(reportedModules)) {
            LOG.warning(Problem.SHARED_APPLICATION.text(
                    environment.config().store().application(),
                    environment.node().module(),
                    String.join(", ", others)));
        }
        reportedModules = others;
    }
}
