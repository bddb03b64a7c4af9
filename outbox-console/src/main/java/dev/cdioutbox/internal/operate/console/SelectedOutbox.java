package dev.cdioutbox.internal.operate.console;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.operate.OperatorStore;
import dev.cdioutbox.operate.OutboxNode;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.spi.DestinationId;

/**
 * The outbox that a console request selects, with its operations. Knows which nodes dispatch it: whether the
 * dispatcher is off here, or idle on all nodes.
 *
 * @param gauges the readings of this node
 */
record SelectedOutbox(OutboxInstance outbox, OutboxOperations operations, Gauges gauges) {

    OutboxConfig config() {
        return outbox.config().current();
    }

    /** The configuration for a message's destination. */
    OutboxConfig configFor(OutboxMessage message) {
        return config().of(message.delivery().destination());
    }

    DestinationId destinationId(OutboxMessage message) {
        return outbox.destinationId(message.delivery().destination());
    }

    /** For queries that the operations do not offer. */
    OperatorStore operatorStore() {
        return outbox.store().operations();
    }

    boolean isHere(OutboxNode other) {
        return other.id().equals(gauges.node(outbox.name()));
    }

    /** Whether this process has a disabled dispatcher, which still writes its heartbeat. */
    boolean isOffHere() {
        return gauges.node(outbox.name()) != null && !config().isDispatching();
    }

    /** Only the own node knows that it is disabled. */
    boolean isOff(OutboxNode other) {
        return isHere(other) && isOffHere();
    }

    /** Whether no living node has an enabled dispatcher. */
    boolean isIdle(List<OutboxNode> nodes) {
        return nodes.stream().noneMatch(each -> each.isAlive() && !isOff(each));
    }
}
