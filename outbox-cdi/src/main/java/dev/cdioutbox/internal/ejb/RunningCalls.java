package dev.cdioutbox.internal.ejb;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The calls in progress on this node. The stop waits for them, and no other begins: Open Liberty does not wait, and they would
 * go on without the classes of the application, and perhaps never close its clients. Thread-safe.
 */
final class RunningCalls {
    /** How long the stop waits: a question to Kafka may take 5 s. If a call hangs, the stop goes on without it. */
    private static final Duration STOP_WAIT = Duration.ofSeconds(6);

    /** Each call has one permit; the stop takes all. */
    private final Semaphore calls = new Semaphore(Integer.MAX_VALUE);

    private volatile boolean stopping;

    boolean areStopping() {
        return stopping;
    }

    void unlessStopping(Runnable work) {
        if (!stopping && calls.tryAcquire()) {
            try {
                work.run();
            } finally {
                calls.release();
            }
        }
    }

    void stop() {
        stopping = true;
        try {
            calls.tryAcquire(Integer.MAX_VALUE, STOP_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
