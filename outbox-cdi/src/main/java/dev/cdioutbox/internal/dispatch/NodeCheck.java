package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.PreparedTransactions;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxNode;

/** Compares the living nodes of an outbox with each other, with the database's limit, and with what waits. */
public final class NodeCheck {
    private NodeCheck() {}

    /**
     * @param module the name of this module
     * @param prepared null if the database does not limit them
     */
    public static List<Finding> findings(
            OutboxConfig config, String module, List<OutboxNode> nodes, PreparedTransactions prepared) {
        List<OutboxNode> alive = nodes.stream().filter(OutboxNode::isAlive).toList();
        List<Finding> found = new ArrayList<>();
        Set<String> others = alive.stream().map(OutboxNode::module).collect(Collectors.toCollection(TreeSet::new));
        others.remove(module);
        if (!others.isEmpty()) {
            found.add(OutboxCode.SHARED_APPLICATION.finding(
                    config.store().application(), module, String.join(", ", others)));
        }
        if (alive.stream().map(OutboxNode::version).distinct().count() > 1) {
            found.add(OutboxCode.NODE_VERSIONS_DIFFER.finding(
                    config.outbox(),
                    alive.stream()
                            .map(node -> node.version() + " on " + node.host() + "/" + node.server())
                            .sorted()
                            .collect(Collectors.joining(", "))));
        }
        // Each sending thread of each node may have one transaction prepared.
        int threads = config.dispatch().entrySet().stream()
                .filter(each ->
                        !config.destinations().get(each.getKey()).transport().equals(DestinationConfig.KAFKA))
                .map(each -> each.getValue().dispatcher())
                .filter(own -> own.enabled() && own.delivery() == Guarantee.EXACTLY_ONCE)
                .mapToInt(DispatcherConfig::concurrency)
                .sum();
        int count = Math.max(1, alive.size());
        // If they are forbidden, OBX-0403 says so.
        if (prepared != null && !prepared.isForbidden() && prepared.limit() < count * threads) {
            found.add(OutboxCode.FEW_PREPARED_TRANSACTIONS.finding(
                    config.outbox(), prepared.limit(), count * threads, count, threads));
        }
        return found;
    }

    /** The destinations for which messages wait, and which are not among those that this node serves. */
    public static Set<String> unserved(OutboxBacklog backlog, Set<String> served) {
        Set<String> unserved = new TreeSet<>(backlog.oldestOf().keySet());
        unserved.removeAll(served);
        return unserved;
    }
}
