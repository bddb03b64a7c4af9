package dev.cdioutbox.internal.dispatch;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.node.PreparedTransactions;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxNode;

/** What can be wrong with the nodes of an outbox: pure functions, for {@link NodeWatch} and for the doctor. */
public final class NodeFindings {
    private NodeFindings() {}

    /**
     * What is wrong with the living nodes.
     *
     * @param module the name of this module
     * @param prepared null if the database does not limit them
     */
    public static List<Finding> findings(
            OutboxConfig config, String module, List<OutboxNode> nodes, PreparedTransactions prepared) {
        List<OutboxNode> alive = nodes.stream().filter(OutboxNode::isAlive).toList();
        return Stream.of(
                        sharedApplication(config, module, alive),
                        differentVersions(config, alive),
                        fewPreparedTransactions(config, Math.max(1, alive.size()), prepared))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<Finding> sharedApplication(OutboxConfig config, String module, List<OutboxNode> alive) {
        Set<String> others = alive.stream().map(OutboxNode::module).collect(Collectors.toCollection(TreeSet::new));
        others.remove(module);
        return others.isEmpty()
                ? Optional.empty()
                : Optional.of(OutboxCode.SHARED_APPLICATION.finding(
                        config.store().application(), module, String.join(", ", others)));
    }

    private static Optional<Finding> differentVersions(OutboxConfig config, List<OutboxNode> alive) {
        if (alive.stream().map(OutboxNode::version).distinct().count() <= 1) {
            return Optional.empty();
        }
        String versions = alive.stream()
                .map(node -> node.version() + " on " + node.host() + "/" + node.server())
                .sorted()
                .collect(Collectors.joining(", "));
        return Optional.of(OutboxCode.NODE_VERSIONS_DIFFER.finding(config.outbox(), versions));
    }

    private static Optional<Finding> fewPreparedTransactions(
            OutboxConfig config, int nodes, PreparedTransactions prepared) {
        // If they are forbidden, OBX-0403 says so.
        if (prepared == null || prepared.isForbidden()) {
            return Optional.empty();
        }
        int threads = threadsThatPrepare(config);
        return prepared.limit() >= nodes * threads
                ? Optional.empty()
                : Optional.of(OutboxCode.FEW_PREPARED_TRANSACTIONS.finding(
                        config.outbox(), prepared.limit(), nodes * threads, nodes, threads));
    }

    /** Each sending thread of a node may have one transaction prepared. */
    private static int threadsThatPrepare(OutboxConfig config) {
        return config.dispatch().entrySet().stream()
                .filter(each -> config.destinations().get(each.getKey()).canUseXa())
                .map(each -> each.getValue().dispatcher())
                .filter(own -> own.enabled() && own.delivery() == Guarantee.EXACTLY_ONCE)
                .mapToInt(DispatcherConfig::concurrency)
                .sum();
    }

    /** The destinations for which messages wait, and which are not among those that this node serves. */
    public static Set<String> unserved(OutboxBacklog backlog, Set<String> served) {
        Set<String> unserved = new TreeSet<>(backlog.oldestOf().keySet());
        unserved.removeAll(served);
        return unserved;
    }
}
