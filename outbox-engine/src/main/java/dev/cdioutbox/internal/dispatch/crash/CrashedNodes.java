package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongPredicate;

import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.operate.OutboxNode;

/**
 * The processes that crashed before this one started. Each process writes a heartbeat to its row of the node table
 * every ten seconds, and an orderly stop deletes the row, so a row that remains shows a crash unless the process lives.
 *
 * @param nodes their rows
 * @param last only messages stored until then can have been in flight in one of them; null if no process has crashed
 */
record CrashedNodes(List<OutboxNode> nodes, Instant last) {

    /**
     * @param all all rows
     * @param runs tests whether a process with this id runs on this machine
     * @param uptime the time since this process started, measured before the rows were read
     */
    static CrashedNodes among(List<OutboxNode> all, ThisNode self, LongPredicate runs, Duration uptime) {
        List<OutboxNode> crashed = all.stream()
                .filter(other -> !other.id().equals(self.id()))
                .filter(other -> hasCrashed(other, self, runs, uptime))
                .toList();
        Instant start = all.stream()
                .filter(other -> other.id().equals(self.id()))
                .map(OutboxNode::startedAt)
                .findFirst()
                .orElse(Instant.MAX);
        // A message stored after this process started was not in flight in another one.
        Instant last = crashed.stream()
                .map(dead -> dead.lastSeenAt().plus(OutboxNode.DEAD_AFTER))
                .max(Instant::compareTo)
                .map(seen -> seen.isBefore(start) ? seen : start)
                .orElse(null);
        return new CrashedNodes(crashed, last);
    }

    /**
     * On this machine the operating system knows whether a process runs. But containers may share a host name, each
     * with its own process ids. So a node with a heartbeat since this process started is alive. On other machines only
     * the heartbeat counts.
     */
    private static boolean hasCrashed(OutboxNode other, ThisNode self, LongPredicate runs, Duration uptime) {
        boolean here = isInPlaceOf(other, self);
        boolean unseen = other.silentFor().compareTo(uptime) > 0;
        if (here && other.process() == self.process()) {
            return unseen;
        }
        return here && unseen && !runs.test(other.process()) || !other.isAlive();
    }

    private static boolean isInPlaceOf(OutboxNode other, ThisNode self) {
        return other.host().equals(self.host()) && other.server().equals(self.server());
    }

    /** Those that this process replaces, since they had the names of its host and its server. */
    List<OutboxNode> inPlaceOf(ThisNode self) {
        return nodes.stream().filter(node -> isInPlaceOf(node, self)).toList();
    }
}
