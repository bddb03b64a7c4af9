package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.util.function.DoubleSupplier;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetryConfig;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Decides whether a charged message is retried, after which backoff, or abandoned. A pure function of its arguments and
 * the random numbers.
 */
final class BackoffPolicy {
    private static final double MULTIPLIER = 2;
    /** Without it, the retries of all nodes and keys hit a destination at the same moments after an outage. */
    private static final double JITTER = 0.25;

    private final RetryConfig config;
    private final DoubleSupplier dice;

    /** @param dice random numbers from 0 to 1, for the jitter */
    BackoffPolicy(RetryConfig config, DoubleSupplier dice) {
        this.config = config;
        this.dice = dice;
    }

    Retry charge(OutboxMessage message, PublishException failure, String error) {
        int attempts = message.delivery().attempts() + 1;
        if (failure.blame() == Blame.MESSAGE || attempts >= config.maxAttempts()) {
            // No message waits for a message without an ordering key.
            boolean blocks = config.blockOnAbandon() && message.orderingKey() != null;
            return new Retry(message.sequence(), OutboxStatus.ABANDONED, attempts, null, error, blocks);
        }
        return new Retry(message.sequence(), OutboxStatus.FAILED, attempts, delay(attempts), error, true);
    }

    Retry abandon(UnreadableRow row) {
        int attempts = row.attempts() + 1;
        return new Retry(
                row.sequence(), OutboxStatus.ABANDONED, attempts, null, row.problem(), config.blockOnAbandon());
    }

    /** base × 2^(attempts − 1), at most the maximum, plus or minus the jitter. */
    Duration delay(int attempts) {
        double millis = config.baseDelay().toMillis() * Math.pow(MULTIPLIER, attempts - 1.0);
        double capped = Math.min(millis, config.maxDelay().toMillis());
        double factor = 1 + JITTER * (2 * dice.getAsDouble() - 1);
        return Duration.ofMillis(Math.max(1, Math.round(capped * factor)));
    }
}
