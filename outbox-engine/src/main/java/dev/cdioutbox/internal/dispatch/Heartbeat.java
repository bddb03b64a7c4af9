package dev.cdioutbox.internal.dispatch;

import java.util.function.IntSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.ThisNode;

/**
 * Writes the row of this node, and deletes it at the stop. Other nodes read it ({@link NodeWatch}): a row that is not written for
 * some time is that of a dead process, and one that stays after the end of the process shows that it crashed. Called by the timer
 * {@code HEARTBEAT} of {@code ejb.OutboxTimer}. Thread-safe.
 *
 * @param partitions the number of partitions that this node has claimed now
 */
record Heartbeat(
        ThisNode node, NodeStore rows, Environment environment, CrashRecovery crashRecovery, IntSupplier partitions) {
    private static final Logger LOG = Logger.getLogger(Heartbeat.class.getName());

    /** A failure is only logged: the next call tries again, and the workers report a database that is unreachable. */
    void write() {
        if (environment.isStopping()) {
            return;
        }
        try {
            environment.outside(() -> {
                rows.writeHeartbeat(node, partitions.getAsInt());
                return null;
            });
        } catch (Exception e) {
            LOG.log(Level.FINE, e, () -> "this node's row could not be written: " + FailureReason.of(e));
        }
        if (environment.isStopping()) {
            // This call may have inserted the row again after the stop had deleted it.
            deleteRow();
        }
    }

    /** Leaves the row if this process has not finished its recovery after an earlier crash: the next one has to recover. */
    void deleteRow() {
        try {
            if (crashRecovery.stop()) {
                // Not in a transaction of the container: there may be none any more.
                rows.delete(node.id());
            }
        } catch (RuntimeException e) {
            LOG.log(
                    Level.FINE,
                    e,
                    () -> "could not delete the node row; the next process will assume a crash: "
                            + FailureReason.of(e));
        }
    }
}
