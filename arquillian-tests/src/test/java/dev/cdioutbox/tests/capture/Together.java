package dev.cdioutbox.tests.capture;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs something on several threads at once. */
final class Together {
    private Together() {}

    /** Returns when all have ended; the first failure is thrown. */
    static void run(int threads, Work work) {
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
                each.get(2, TimeUnit.MINUTES);
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            executor.shutdownNow();
        }
    }

    interface Work {
        void run(int thread) throws Exception;
    }
}
