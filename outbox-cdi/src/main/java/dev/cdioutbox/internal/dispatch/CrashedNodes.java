package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.NodeRow;

/**
 * The processes that crashed, by the rows that they left. A process that stops in order deletes its row.
 *
 * @param lastCrash messages stored after this time cannot have been in flight at a crash; null if no process crashed
 * @param crashingMessages messages that were being sent singly when a process crashed, with that process
 * @param replacedNodes crashed processes whose rows can be deleted: this process runs in their place
 * @param nodesByMessage for each crashing message, the ids of all crashed processes that were sending it
 */
record CrashedNodes(
        Instant lastCrash,
        Map<Long, OutboxNode> crashingMessages,
        List<String> replacedNodes,
        Map<Long, List<String>> nodesByMessage) {

    /**
     * Finds out who died.
     *
     * @param runs whether there is a process with this id on this machine
     * @param uptime for how long this process has been running
     */
    static CrashedNodes among(List<NodeRow> traces, NodeIdentity self, LongPredicate runs, Duration uptime) {
        List<NodeRow> dead = traces.stream()
                .filter(trace -> !trace.node().id().equals(self.id()))
                .filter(trace -> isDead(trace.node(), self, runs, uptime))
                .toList();
        Map<Long, OutboxNode> crashingMessages = new HashMap<>();
        dead.stream()
                .filter(trace -> trace.sending() != null)
                .forEach(trace -> crashingMessages.put(trace.sending(), trace.node()));
        return new CrashedNodes(
                dead.stream()
                        .map(trace -> trace.node().lastSeenAt().plus(OutboxNode.DEAD_AFTER))
                        .max(Instant::compareTo)
                        .map(last -> earlier(last, start(traces, self)))
                        .orElse(null),
                Map.copyOf(crashingMessages),
                dead.stream()
                        .filter(trace -> trace.sending() == null && isInPlaceOf(trace.node(), self))
                        .map(trace -> trace.node().id())
                        .toList(),
                dead.stream()
                        .filter(trace -> trace.sending() != null)
                        .collect(Collectors.groupingBy(
                                NodeRow::sending,
                                Collectors.mapping(trace -> trace.node().id(), Collectors.toList()))));
    }

    /** The dead that were sending this one alone. */
    List<String> nodesSending(Long sequence) {
        return nodesByMessage.getOrDefault(sequence, List.of());
    }

    /** What was stored since this process is there, none of those before it can have had. */
    private static Instant start(List<NodeRow> traces, NodeIdentity self) {
        return traces.stream()
                .map(NodeRow::node)
                .filter(node -> node.id().equals(self.id()))
                .map(OutboxNode::startedAt)
                .findFirst()
                .orElse(Instant.MAX);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /**
     * On this machine the operating system knows whether a process runs. But containers may share a host name, each
     * with its own process ids; so a node that was seen since this process started is alive. On other machines only the
     * heartbeat counts.
     */
    private static boolean isDead(OutboxNode node, NodeIdentity self, LongPredicate runs, Duration uptime) {
        boolean here = isInPlaceOf(node, self);
        boolean unseen = node.silentFor().compareTo(uptime) > 0;
        if (here && node.process() == self.process()) {
            return unseen;
        }
        return here && unseen && !runs.test(node.process()) || !node.isAlive();
    }

    private static boolean isInPlaceOf(OutboxNode node, NodeIdentity self) {
        return node.host().equals(self.host()) && node.server().equals(self.server());
    }
}
