package dev.cdioutbox.internal.capture.deployment;

import java.util.UUID;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Checks that the dispatcher's DataSource leads to the tables of the capture: otherwise no message would ever be sent.
 */
public final class SameTablesCheck {
    private SameTablesCheck() {}

    /** @throws dev.cdioutbox.OutboxException OBX-0215 if one DataSource does not see the rows of the other */
    public static void run(OutboxStore capturing, OutboxStore dispatching, String dataSource) {
        NodeIdentity trace = leaveTrace(capturing);
        boolean same;
        try {
            same = isFound(trace, capturing, dispatching);
        } catch (OutboxException e) {
            throw Problem.OTHER_TABLES.exception(e, dataSource);
        }
        if (!same) {
            throw Problem.OTHER_TABLES.exception(dataSource);
        }
    }

    /** Whether the second store finds a row that the first one has written. Deletes that row. */
    static boolean areSame(OutboxStore written, OutboxStore other) {
        return isFound(leaveTrace(written), written, other);
    }

    private static NodeIdentity leaveTrace(OutboxStore store) {
        NodeIdentity probeNode = new NodeIdentity("check-" + UUID.randomUUID(), "check", "check", "check", 0, "check");
        store.writeHeartbeat(probeNode);
        return probeNode;
    }

    private static boolean isFound(NodeIdentity trace, OutboxStore written, OutboxStore other) {
        boolean found = false;
        try {
            found = other.deleteNode(trace.id());
        } finally {
            if (!found) {
                written.deleteNode(trace.id());
            }
        }
        return found;
    }
}
