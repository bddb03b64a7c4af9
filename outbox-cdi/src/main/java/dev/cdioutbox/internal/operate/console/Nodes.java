package dev.cdioutbox.internal.operate.console;

import java.util.List;

import dev.cdioutbox.OutboxNode;

/**
 * Who dispatches. A node whose dispatcher is switched off says that it is there, too; this node knows it of itself alone.
 *
 * @param isOffHere whether this node is one of them and its dispatcher is switched off
 */
record Nodes(List<OutboxNode> all, boolean isOffHere) {

    /** Whether nobody sends anything. */
    boolean isIdle() {
        return alive() <= (isOffHere ? 1 : 0);
    }

    private long alive() {
        return all.stream().filter(OutboxNode::isAlive).count();
    }
}
