package dev.cdioutbox.internal.operate.console;

import java.util.List;

import dev.cdioutbox.OutboxNode;

/**
 * The dispatching nodes. A disabled dispatcher still writes its heartbeat; only the own node knows that it is disabled.
 *
 * @param here the id of this node; null if it does not dispatch
 * @param isOn whether the dispatcher of this node is enabled
 */
record NodeList(List<OutboxNode> all, String here, boolean isOn) {

    /** Whether no living node has an enabled dispatcher. */
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
