package dev.cdioutbox.internal.dispatch.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetryConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards the delay between two attempts, and the number of attempts before a message is abandoned. */
class RetryPolicyTest {

    @ParameterizedTest
    @CsvSource({
        // attempts, dice, base, max, expected
        "1, 0.5, PT1S, PT10M, PT1S",
        "2, 0.5, PT1S, PT10M, PT2S",
        "3, 0.5, PT1S, PT10M, PT4S",
        "10, 0.5, PT1S, PT10M, PT8M32S",
        "11, 0.5, PT1S, PT10M, PT10M",
        "1000000, 0.5, PT1S, PT10M, PT10M",
        "3, 0, PT1S, PT10M, PT3S",
        "3, 1, PT1S, PT10M, PT5S",
        "11, 1, PT1S, PT10M, PT12M30S",
        "4, 0.5, PT1S, PT1S, PT1S",
        "1, 0, PT0.001S, PT10M, PT0.001S",
    })
    void delayDoublesUpToTheMaximumGiveOrTakeTheJitter(
            int attempts, double dice, Duration base, Duration max, Duration expected) {
        RetryConfig config = new RetryConfig(10, base, max, false);

        assertThat(new RetryPolicy(config, () -> dice).delay(attempts)).isEqualTo(expected);
    }

    @Test
    void publisherMayWishForADelay() {
        PublishException later = new PublishException(Blame.UNKNOWN, "later", null, Duration.ofHours(3));

        assertThat(policy("outbox.retry.max-attempts", "10")
                        .afterFailure(tried(4), later, "no", true)
                        .delay())
                .isEqualTo(Duration.ofHours(3));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void messageIsChargedExactlySoManyAttempts(int maxAttempts) {
        RetryPolicy policy = policy("outbox.retry.max-attempts", String.valueOf(maxAttempts));

        for (int before = 0; before < maxAttempts - 1; before++) {
            Retry retry = policy.afterFailure(tried(before), failure(Blame.UNKNOWN), "no", true);
            assertThat(retry.status()).isEqualTo(OutboxStatus.FAILED);
            assertThat(retry.attempts()).isEqualTo(before + 1);
            assertThat(retry.delay()).isEqualTo(Duration.ofSeconds(1L << before));
            assertThat(retry.blocksKey()).isTrue();
        }

        assertThat(policy.afterFailure(tried(maxAttempts - 1), failure(Blame.UNKNOWN), "no", true))
                .isEqualTo(new Retry(7, OutboxStatus.ABANDONED, maxAttempts, null, "no", false));
    }

    @Test
    void loweredMaximumAbandonsAtTheNextCharge() {
        Retry retry =
                policy("outbox.retry.max-attempts", "2").afterFailure(tried(5), failure(Blame.UNKNOWN), "no", true);

        assertThat(retry.status()).isEqualTo(OutboxStatus.ABANDONED);
        assertThat(retry.attempts()).isEqualTo(6);
    }

    @Test
    void messageIsHeldForTheLongestDelayWithoutACharge() {
        assertThat(policy("outbox.retry.max-attempts", "5").afterFailure(tried(4), failure(Blame.UNKNOWN), "no", false))
                .isEqualTo(new Retry(7, OutboxStatus.FAILED, 4, Duration.ofMinutes(10), "no", true, true));
    }

    @Test
    void messageThatCanNeverBeSentIsAbandonedAtOnce() {
        assertThat(policy("outbox.retry.max-attempts", "5")
                        .afterFailure(tried(0), failure(Blame.MESSAGE), "never", false))
                .isEqualTo(new Retry(7, OutboxStatus.ABANDONED, 1, null, "never", false));
    }

    @Test
    void abandonedMessageKeepsItsPlaceIfItIsToBlock() {
        RetryPolicy policy = policy("outbox.retry.on-abandon", "block");

        assertThat(policy.afterFailure(tried(0), failure(Blame.MESSAGE), "never", false)
                        .blocksKey())
                .isTrue();
        assertThat(policy.abandon(new UnreadableRow(7, 2, "garbage")))
                .isEqualTo(new Retry(7, OutboxStatus.ABANDONED, 3, null, "garbage", true));
        assertThat(policy("outbox.retry.on-abandon", "skip").abandon(new UnreadableRow(7, 2, "garbage")))
                .isEqualTo(new Retry(7, OutboxStatus.ABANDONED, 3, null, "garbage", false));
    }

    private static RetryPolicy policy(String key, String value) {
        return new RetryPolicy(TestConfig.of(key, value).retry(), () -> 0.5);
    }

    private static OutboxMessage tried(int attempts) {
        return TestMessages.stored(7, "order-1", attempts);
    }

    private static PublishException failure(Blame blame) {
        return new PublishException(blame, "no", null);
    }
}
