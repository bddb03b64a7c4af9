package dev.cdioutbox.tests.capture;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

final class Together {
    private Together() {}

    /**
     * Runs the work on several threads and waits up to two minutes for each, so that none holds a connection of the
     * next test. Throws an exception with all failures.
     */
    static void run(int threads, Work work) {
        List<Throwable> failures = new ArrayList<>();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(executor.submit(() -> {
                    work.run(thread);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                try {
                    each.get(2, TimeUnit.MINUTES);
                } catch (ExecutionException e) {
                    failures.add(e.getCause());
                }
            }
        } catch (Exception e) {
            failures.add(e);
        } finally {
            executor.shutdownNow();
        }
        if (!failures.isEmpty()) {
            IllegalStateException failure = new IllegalStateException(failures.get(0));
            failures.stream().skip(1).forEach(failure::addSuppressed);
            throw failure;
        }
    }

    interface Work {
        void run(int thread) throws Exception;
    }
}
