package dev.cdioutbox.internal.operate.console;

import java.util.List;

import dev.cdioutbox.OutboxNode;

/**
 * Who dispatches. A node whose dispatcher is switched off says that it is there, too; this node knows it of itself alone.
 *
 * @param here what this one is called; null if it is none of them
 * @param isOn whether this one's dispatcher is switched on
 */
record NodeList(List<OutboxNode> all, String here, boolean isOn) {

    /** Whether nobody sends anything. */
    boolean isIdle() {
        return all.stream().noneMatch(node -> node.isAlive() && !isOff(node));
    }

    boolean isOffHere() {
        return here != null && !isOn;
    }

    boolean isHere(OutboxNode node) {
        return node.id().equals(here);
    }

    boolean isOff(OutboxNode node) {
        return isHere(node) && !isOn;
    }
}
