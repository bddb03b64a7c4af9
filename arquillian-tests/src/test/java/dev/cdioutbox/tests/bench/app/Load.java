package dev.cdioutbox.tests.bench.app;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;

/** Runs a step again and again, in several threads. */
@ApplicationScoped
public class Load {
    @Resource
    private ManagedThreadFactory threads;

    /** A part of the work. */
    @FunctionalInterface
    public interface Step {
        /** @return how many things were done; 0 ends the thread's work */
        long run() throws Exception;
    }

    /** The work of one thread. */
    @FunctionalInterface
    interface Work {
        /** @return how many things were done */
        long run(int thread) throws Exception;
    }

    /** A part of the work that is due at a time. */
    @FunctionalInterface
    interface DueStep {
        /** @param late how many nanoseconds after its time the step begins */
        void run(long number, long late) throws Exception;
    }

    /** What the threads did, and how long it took all of them. */
    public record Done(long count, long nanos) {}

    public Done repeat(Duration time, int count, Step step) throws Exception {
        long deadline = System.nanoTime() + time.toNanos();
        return run(count, thread -> {
            long done = 0;
            long more = 1;
            while (more > 0 && System.nanoTime() < deadline) {
                more = step.run();
                done += more;
            }
            return done;
        });
    }

    /**
     * Runs a step at a fixed rate, however long the steps before took. Without a rate (0), each thread runs a step when the
     * one before has ended.
     */
    Done repeatAtRate(Duration time, int count, int perSecond, DueStep step) throws Exception {
        long begun = System.nanoTime();
        return run(count, thread -> {
            long done = 0;
            for (long number = thread; ; number += count) {
                long now = System.nanoTime();
                long due = perSecond == 0 ? now : begun + number * TimeUnit.SECONDS.toNanos(1) / perSecond;
                if (due - begun >= time.toNanos()) {
                    return done;
                }
                while (now < due) {
                    LockSupport.parkNanos(due - now);
                    now = System.nanoTime();
                }
                step.run(number, now - due);
                done++;
            }
        });
    }

    Done run(int count, Work work) throws Exception {
        List<FutureTask<Long>> tasks = new ArrayList<>();
        long begun = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int number = i;
            FutureTask<Long> task = new FutureTask<>(() -> work.run(number));
            tasks.add(task);
            // Not an executor: Liberty's gives few threads at first.
            threads.newThread(task).start();
        }
        long done = 0;
        for (FutureTask<Long> task : tasks) {
            done += task.get();
        }
        return new Done(done, System.nanoTime() - begun);
    }
}
