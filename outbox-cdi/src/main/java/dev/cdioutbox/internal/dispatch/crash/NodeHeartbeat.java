package dev.cdioutbox.internal.dispatch.crash;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
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
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    private final Environment environment;
    private final CrashRecovery crashRecovery;
    private final AtomicInteger partitionsHeld = new AtomicInteger();
    private final ReentrantLock writing = new ReentrantLock();

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
        writing.lock();
        try {
            if (!environment.isStopping()) {
                write();
            }
        } finally {
            writing.unlock();
        }
    }

    private void write() {
        try {
            environment.inNew(() -> environment.store().writeHeartbeat(environment.node(), partitionsHeld.get()));
        } catch (Exception e) {
            // The next call writes the row; the workers report the database if it is still unreachable.
            LOG.log(Level.FINE, e, () -> "this node's row could not be written: " + Problem.reason(e));
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
        boolean alone = false;
        try {
            // Waits for a concurrent write, which would insert the row again; but not for long, since a hanging
            // database must not delay the stop.
            alone = writing.tryLock(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            environment.store().deleteNode(environment.node().id());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(
                    Level.FINE,
                    e,
                    () -> "could not delete the node row; the next process will assume a crash: " + Problem.reason(e));
        } finally {
            if (alone) {
                writing.unlock();
            }
        }
    }
}
