package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Writes this process's row while it runs and deletes it on an orderly stop. A row that stays means that the process
 * crashed. Counts the partitions that the process holds.
 */
public final class NodeHeartbeat implements DispatchListener {
    private static final Logger LOG = Logger.getLogger(NodeHeartbeat.class.getName());

    private final Environment environment;
    private final CrashRecovery crashRecovery;
    private final AtomicInteger partitionsHeld = new AtomicInteger();

    public NodeHeartbeat(Environment environment, CrashRecovery crashRecovery) {
        this.environment = environment;
        this.crashRecovery = crashRecovery;
    }

    @Override
    public void claimed(String destination, int partitions, Duration took) {
        partitionsHeld.addAndGet(partitions);
    }

    @Override
    public void released(String destination, int partitions) {
        partitionsHeld.addAndGet(-partitions);
    }

    public void beat() {
        if (environment.isStopping()) {
            return;
        }
        try {
            environment.inNew(() -> environment.store().writeHeartbeat(environment.node(), partitionsHeld.get()));
        } catch (Exception e) {
            // The next call writes the row; the workers report the database if it is still unreachable.
            LOG.log(Level.FINE, e, () -> "this node's row could not be written: " + Problem.reason(e));
        }
        if (environment.isStopping()) {
            // This call may have inserted the row again after stop() had deleted it.
            stop();
        }
    }

    /**
     * Deletes the row without the container's transactions, which may be gone already. A process that has not finished
     * recovery after an earlier crash leaves its row: the next process must recover as if this one had crashed.
     */
    public void stop() {
        if (!crashRecovery.isComplete()) {
            return;
        }
        try {
            environment.store().deleteNode(environment.node().id());
        } catch (RuntimeException e) {
            LOG.log(
                    Level.FINE,
                    e,
                    () -> "could not delete the node row; the next process will assume a crash: " + Problem.reason(e));
        }
    }
}
