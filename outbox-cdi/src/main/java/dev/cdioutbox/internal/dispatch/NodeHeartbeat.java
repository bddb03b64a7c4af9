package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;

/** This process's row: there as long as it runs, gone when it stops in order. One that is left tells of a death. */
final class NodeHeartbeat {
    private static final Logger LOG = Logger.getLogger(NodeHeartbeat.class.getName());
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    private final OutboxStore store;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final IntSupplier partitionsHeld;
    private final CrashRecovery crashRecovery;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean stopped;

    NodeHeartbeat(
            OutboxStore store,
            Transactions transactions,
            NodeIdentity node,
            IntSupplier partitionsHeld,
            CrashRecovery crashRecovery) {
        this.store = store;
        this.transactions = transactions;
        this.node = node;
        this.partitionsHeld = partitionsHeld;
        this.crashRecovery = crashRecovery;
    }

    void beat() {
        writing.lock();
        try {
            if (!stopped) {
                write();
                crashRecovery.eraseLeftoverRecord();
            }
        } finally {
            writing.unlock();
        }
    }

    private void write() {
        try {
            transactions.inNew(() -> {
                store.writeHeartbeat(node, partitionsHeld.getAsInt());
                return null;
            });
        } catch (Exception e) {
            // The next call writes it, and the workers report the database if it is still away then.
            LOG.log(Level.FINE, e, () -> "this node's row could not be written: " + Problem.reason(e));
        }
    }

    /**
     * Not by the container's transactions, which may be gone already. Who still minds the deaths before him leaves his row: to the
     * next one it is as if this process had died.
     */
    void stop() {
        stopped = true;
        crashRecovery.stop();
        if (!crashRecovery.isComplete()) {
            return;
        }
        boolean alone = false;
        try {
            // One that is just written would come back; but what hangs holds up no end of the application.
            alone = writing.tryLock(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            store.nodeRegistry().deleteNode(node.id());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, e, () -> "this looks like a death to who starts next: " + Problem.reason(e));
        } finally {
            if (alone) {
                writing.unlock();
            }
        }
    }
}
