package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

/** Guards how many messages a claim may have at which time. */
class RateLimitTest {
    private final RateLimit limit = new RateLimit();
    private long nanos;

    @Test
    void secondIsThereAtOnceAndThenTheRate() {
        assertThat(limit.take(100, 60, nanos)).isEqualTo(60);
        assertThat(limit.take(100, 60, nanos)).isEqualTo(40);
        assertThat(limit.take(100, 60, nanos)).isZero();

        pass(Duration.ofMillis(300));
        assertThat(limit.take(100, 60, nanos)).isEqualTo(30);
        pass(Duration.ofHours(1));
        assertThat(limit.take(100, 500, nanos)).as("no more than a second's").isEqualTo(100);
    }

    /** As docs/tasks.md says to whoever has a limit in a contract. */
    @Test
    void secondThatFollowsAnIdleOneHasTwiceTheRate() {
        int taken = limit.take(100, 500, nanos);
        for (int quarter = 0; quarter < 4; quarter++) {
            pass(Duration.ofMillis(250));
            taken += limit.take(100, 500, nanos);
        }

        assertThat(taken).isEqualTo(200);
    }

    /** A claim costs a transaction, so that none is made for each single message. */
    @Test
    void fewMessagesAreNotWorthAClaim() {
        limit.take(100, 500, nanos);
        pass(Duration.ofMillis(240));

        assertThat(limit.take(100, 500, nanos)).isZero();
        assertThat(limit.untilNext(100, 500)).isEqualTo(Duration.ofMillis(10));
        pass(limit.untilNext(100, 500));
        assertThat(limit.take(100, 500, nanos)).isEqualTo(25);
    }

    @Test
    void lowRateLetsOneMessageGoAtATime() {
        assertThat(limit.take(1, 500, nanos)).isEqualTo(1);
        assertThat(limit.take(1, 500, nanos)).isZero();
        assertThat(limit.untilNext(1, 500)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void whatAClaimHasNotUsedIsThereForTheNext() {
        limit.take(100, 100, nanos);
        limit.giveBack(70);

        assertThat(limit.take(100, 500, nanos)).isEqualTo(70);
    }

    @Test
    void changedRateIsInForceAtOnce() {
        limit.take(1000, 500, nanos);

        assertThat(limit.take(10, 500, nanos)).isEqualTo(10);
        pass(Duration.ofSeconds(1));
        assertThat(limit.take(200, 500, nanos)).isEqualTo(200);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
