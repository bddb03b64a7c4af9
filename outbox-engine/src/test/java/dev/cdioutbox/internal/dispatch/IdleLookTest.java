package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

/** Guards that idle workers share a look, and that none decides by one that may miss what was stored since its last poll. */
class IdleLookTest {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger looks = new AtomicInteger();
    private final IdleLook look = new IdleLook(this::waiting, nanos::get);
    private Set<String> waiting = Set.of();
    private Runnable duringLook = () -> {};

    @Test
    void workersThatArePolledTogetherShareALook() throws Exception {
        waiting = Set.of("b");

        assertThat(look.finds("a", INTERVAL)).isFalse();
        nanos.addAndGet(INTERVAL.toNanos() / 5);
        assertThat(look.finds("b", INTERVAL)).isTrue();

        assertThat(looks).hasValue(1);
    }

    @Test
    void nextPollOfAWorkerLooksAnew() throws Exception {
        assertThat(look.finds("a", INTERVAL)).isFalse();
        waiting = Set.of("a");

        assertThat(look.finds("a", INTERVAL)).isTrue();
    }

    @Test
    void anOldLookServesNoOther() throws Exception {
        assertThat(look.finds("a", INTERVAL)).isFalse();
        waiting = Set.of("b");
        nanos.addAndGet(INTERVAL.toNanos() / 5 + 1);

        assertThat(look.finds("b", INTERVAL)).isTrue();
    }

    @Test
    void workersClaimAfterALookThatHasFailedAndDoNotRepeatIt() throws Exception {
        waiting = null;

        assertThat(look.finds("a", INTERVAL)).isTrue();
        assertThat(look.finds("b", INTERVAL)).isTrue();

        assertThat(looks).hasValue(1);
        waiting = Set.of();
        assertThat(look.finds("b", INTERVAL)).isFalse();
    }

    /** Others have waited for the look, which has taken longer than the time for which it may be shared. */
    @Test
    void thoseWhoHaveWaitedForALongLookShareIt() throws Exception {
        CompletableFuture<Boolean> other = new CompletableFuture<>();
        duringLook = () -> {
            Thread waiter = new Thread(() -> complete(other, "b"));
            waiter.start();
            await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
            nanos.addAndGet(INTERVAL.toNanos());
        };

        assertThat(look.finds("a", INTERVAL)).isFalse();

        assertThat(other.join()).isFalse();
        assertThat(looks).hasValue(1);
    }

    @Test
    void aLookThatHangsHoldsUpNoOtherWorker() throws Exception {
        CompletableFuture<Boolean> other = new CompletableFuture<>();
        duringLook = () -> {
            new Thread(() -> complete(other, "b")).start();
            // Ends only when the other one has given up.
            assertThat(other.join()).isTrue();
        };

        assertThat(look.finds("a", INTERVAL)).isFalse();
    }

    private void complete(CompletableFuture<Boolean> result, String destination) {
        try {
            result.complete(look.finds(destination, INTERVAL));
        } catch (InterruptedException e) {
            result.completeExceptionally(e);
        }
    }

    private Set<String> waiting() {
        looks.incrementAndGet();
        duringLook.run();
        if (waiting == null) {
            throw new IllegalStateException("the database is away");
        }
        return waiting;
    }
}
