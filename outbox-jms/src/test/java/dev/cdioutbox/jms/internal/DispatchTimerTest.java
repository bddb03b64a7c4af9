package dev.cdioutbox.jms.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import jakarta.ejb.EJBException;
import jakarta.ejb.Timer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What of a worker's failures reaches the container: it calls again at once, and after a second one not for minutes. */
class DispatchTimerTest {
    private final DispatchTimer timer = new DispatchTimer();
    private final List<String> thrown = new ArrayList<>();
    private Throwable failure;
    private int failures;
    private int relieved;

    @BeforeEach
    void begin() {
        timer.service = new DispatchService() {
            @Override
            public Throwable poll(String label) {
                return failure;
            }

            @Override
            public boolean isFirstFailure(String label) {
                return failures == 1;
            }

            @Override
            public void checkStalled() {
                relieved++;
            }
        };
    }

    @Test
    void firstFailureInARowIsThrownAndNoOther() {
        call("a", 1);
        call("a", 2);
        call("a", 3);
        assertThat(thrown).containsExactly("a 1");

        call("a", 0);
        call("a", 1);
        assertThat(thrown).containsExactly("a 1", "a 1");
    }

    @Test
    void failureThatAWakeUpHasMetBeforeIsNotThrown() {
        call("a", 2);

        assertThat(thrown).isEmpty();
    }

    /** One that fails beside a thread which is still in its run counts only when that one has left. */
    @Test
    void twoInARowAreNeverThrownThoughTheWorkerHasCountedOneOnly() {
        call("a", 1);
        call("a", 1);
        call("b", 1);
        call("a", 1);

        assertThat(thrown).containsExactly("a 1", "b 1");
    }

    /** By the one that waits for nothing. */
    @Test
    void housekeepingTimerChecksForStalledWorkers() {
        timer.call(calling(TimerCall.Kind.HOUSEKEEPING, null));

        assertThat(relieved).isEqualTo(1);
    }

    private void call(String worker, int failuresThen) {
        failures = failuresThen;
        failure = failuresThen == 0 ? null : new IllegalStateException(worker + " " + failuresThen);
        try {
            timer.call(calling(TimerCall.Kind.WORKER, worker));
        } catch (EJBException e) {
            thrown.add(e.getMessage());
        }
    }

    private static Timer calling(TimerCall.Kind kind, String worker) {
        return (Timer) Proxy.newProxyInstance(
                Timer.class.getClassLoader(),
                new Class<?>[] {Timer.class},
                (proxy, method, arguments) -> new TimerCall(kind, worker));
    }
}
