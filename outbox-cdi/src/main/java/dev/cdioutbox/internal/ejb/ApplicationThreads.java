package dev.cdioutbox.internal.ejb;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.Timeout;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

/**
 * The container's threads for code of the application: its handlers and observers. Each comes from a timer, which knows nothing of
 * its creator: an asynchronous method would run as the user who has committed. Thread-safe.
 */
@Singleton
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ApplicationThreads {
    @Resource
    TimerService timers;

    /** As long as the number of timers that have not fired. */
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    /**
     * Runs work on another thread, outside of any transaction and without an identity. Returns at once. Must be called through the
     * container, because a timer that is created in a transaction waits for its commit.
     */
    public void execute(Runnable work) {
        waiting.add(work);
        try {
            timers.createSingleActionTimer(0, new TimerConfig(null, false));
        } catch (RuntimeException refused) {
            waiting.remove(work);
            throw refused;
        }
    }

    /** The container calls this method, and once more if the work throws. */
    @Timeout
    void run() {
        Runnable work = waiting.poll();
        if (work != null) {
            work.run();
        }
    }
}
