package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Set;
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
    void afterALookThatHasFailedTheNextWorkerLooksAnew() throws Exception {
        assertThat(look.finds("a", INTERVAL)).isFalse();
        waiting = null;
        assertThatThrownBy(() -> look.finds("a", INTERVAL)).hasMessage("the database is away");
        waiting = Set.of("b");

        assertThat(look.finds("b", INTERVAL)).isTrue();
    }

    private Set<String> waiting() {
        looks.incrementAndGet();
        if (waiting == null) {
            throw new IllegalStateException("the database is away");
        }
        return waiting;
    }
}
