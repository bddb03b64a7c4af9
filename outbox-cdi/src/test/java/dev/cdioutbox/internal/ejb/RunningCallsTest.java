package dev.cdioutbox.internal.ejb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

class RunningCallsTest {
    private final RunningCalls calls = new RunningCalls();

    /** A call that went on would do so without the classes of the application, and perhaps never close its clients. */
    @Test
    void stopWaitsForTheCallInProgressAndNoOtherBegins() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        CountDownLatch called = new CountDownLatch(1);
        Thread stop = new Thread(() -> {
            calls.stop();
            order.add("stopped");
        });
        Thread call = new Thread(() -> calls.unlessStopping(() -> {
            called.countDown();
            while (!Set.of(Thread.State.TIMED_WAITING, Thread.State.TERMINATED).contains(stop.getState())) {
                Thread.onSpinWait();
            }
            order.add("called");
        }));
        call.start();
        called.await();
        stop.start();
        stop.join();
        call.join();
        calls.unlessStopping(() -> order.add("called too late"));

        assertThat(order).containsExactly("called", "stopped");
    }
}
