package dev.cdioutbox.internal.dispatch;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.PreparedTransactions;
import dev.cdioutbox.internal.store.node.ProbeStore;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.operate.OutboxNode;

/**
 * Reads the rows that the nodes of an outbox write ({@link Heartbeat}): counts the living ones, and logs what is wrong
 * with the nodes ({@link NodeFindings}). Called by the timer {@code NODES} of {@code ejb.OutboxTimer}. If the database fails, the
 * next call tries again, and the workers report it. Thread-safe.
 */
final class NodeWatch {
    private static final Logger LOG = Logger.getLogger(NodeWatch.class.getName());

    private final ThisNode self;
    private final NodeStore rows;
    private final ProbeStore probes;
    private final Supplier<OutboxConfig> config;
    private final Reported<Finding> reported = new Reported<>();
    private final Environment environment;
    private final AtomicInteger livingNodes;

    /**
     * @param config supplies the current configuration
     * @param livingNodes is set to the number of processes that dispatch these messages, by the last look; 0 if it has failed. A
     *     node that is alone does not look again in the partitions that it releases. So until the next look, a message that a
     *     new node has found locked by this one waits for a poll
     */
    NodeWatch(
            ThisNode self,
            NodeStore rows,
            ProbeStore probes,
            Supplier<OutboxConfig> config,
            Environment environment,
            AtomicInteger livingNodes) {
        this.self = self;
        this.rows = rows;
        this.probes = probes;
        this.config = config;
        this.environment = environment;
        this.livingNodes = livingNodes;
    }

    /** Looks for other nodes, and logs once what is wrong with the nodes. */
    void look() {
        List<Finding> found;
        try {
            List<OutboxNode> nodes = environment.outside(rows::all);
            long others = nodes.stream()
                    .filter(node -> node.isAlive() && !node.id().equals(self.id()))
                    .count();
            livingNodes.set(1 + Math.toIntExact(others));
            PreparedTransactions prepared = environment.outside(probes::preparedTransactions);
            found = NodeFindings.findings(config.get(), self.module(), nodes, prepared);
        } catch (Exception e) {
            livingNodes.set(0);
            LOG.log(Level.FINE, "the nodes could not be read; the next call reads them", e);
            return;
        }
        reported.beginOnly(found).forEach(finding -> LOG.warning(finding.toString()));
    }
}
