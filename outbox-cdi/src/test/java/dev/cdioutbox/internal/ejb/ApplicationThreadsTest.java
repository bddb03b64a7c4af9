package dev.cdioutbox.internal.ejb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;

import jakarta.ejb.EJBException;

import org.junit.jupiter.api.Test;

class ApplicationThreadsTest {
    private final FakeTimers timers = new FakeTimers();
    private final ApplicationThreads threads = new ApplicationThreads();
    private final List<String> done = new ArrayList<>();

    ApplicationThreadsTest() {
        threads.timers = timers.service;
    }

    @Test
    void eachWorkHasATimerThatFiresAtOnce() {
        threads.execute(() -> done.add("first"));
        threads.execute(() -> done.add("second"));

        assertThat(timers.created).extracting(FakeTimers.Created::first).containsExactly(0L, 0L);
        threads.run();
        threads.run();
        assertThat(done).containsExactly("first", "second");
    }

    /** Otherwise each later timer would run the work before its own. */
    @Test
    void workWhoseTimerIsRefusedDoesNotStay() {
        threads.timers = null;
        assertThatThrownBy(() -> threads.execute(() -> done.add("refused"))).isInstanceOf(RuntimeException.class);

        threads.timers = timers.service;
        threads.execute(() -> done.add("accepted"));
        threads.run();
        assertThat(done).containsExactly("accepted");
    }

    /** The container repeats a call that has failed. */
    @Test
    void workThatFailsIsNotRepeated() {
        threads.execute(() -> {
            done.add("failed");
            throw new EJBException();
        });

        assertThatThrownBy(threads::run).isInstanceOf(EJBException.class);
        threads.run();
        assertThat(done).containsExactly("failed");
    }
}
