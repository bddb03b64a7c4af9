package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.util.function.DoubleSupplier;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetryConfig;
import dev.cdioutbox.internal.dispatch.delivery.AbandonPolicy.Evidence;
import dev.cdioutbox.internal.dispatch.delivery.AbandonPolicy.Verdict;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Decides whether a failed message is retried, after which backoff, or abandoned. A pure function of its arguments and the
 * random numbers.
 */
final class RetryPolicy {
    private static final double MULTIPLIER = 2;
    /** Without it, the retries of all nodes and keys hit a destination at the same moments after an outage. */
    private static final double JITTER = 0.25;

    private final RetryConfig config;
    private final DoubleSupplier dice;

    /** @param dice random numbers from 0 to 1, for the jitter */
    RetryPolicy(RetryConfig config, DoubleSupplier dice) {
        this.config = config;
        this.dice = dice;
    }

    /** @param destinationWorks whether the destination is known to work ({@link AbandonPolicy#works}) */
    Retry afterFailure(OutboxMessage message, PublishException failure, String error, boolean destinationWorks) {
        int attempts = message.delivery().attempts() + 1;
        return switch (verdict(message, failure.blame(), destinationWorks)) {
            case RETRY ->
                new Retry(message.sequence(), OutboxStatus.FAILED, attempts, delay(failure, attempts), error, true);
            case ABANDON -> abandon(message, error);
            case HOLD ->
                new Retry(message.sequence(), OutboxStatus.FAILED, attempts - 1, longestDelay(), error, true, true);
        };
    }

    Verdict verdict(OutboxMessage message, Blame blame, boolean destinationWorks) {
        boolean isLast = message.delivery().attempts() + 1 >= config.maxAttempts();
        return AbandonPolicy.of(new Evidence(blame, isLast, !blocks(message), destinationWorks));
    }

    Retry abandon(OutboxMessage message, String error) {
        int attempts = message.delivery().attempts() + 1;
        return new Retry(message.sequence(), OutboxStatus.ABANDONED, attempts, null, error, blocks(message));
    }

    /** Whether its followers wait once it is abandoned. No message waits for a message without an ordering key. */
    private boolean blocks(OutboxMessage message) {
        return config.blockOnAbandon() && message.orderingKey() != null;
    }

    Retry abandon(UnreadableRow row) {
        int attempts = row.attempts() + 1;
        return new Retry(
                row.sequence(), OutboxStatus.ABANDONED, attempts, null, row.problem(), config.blockOnAbandon());
    }

    private Duration delay(PublishException failure, int attempts) {
        return failure.retryAfter() == null ? delay(attempts) : failure.retryAfter();
    }

    /** base × 2^(attempts − 1), at most the maximum, plus or minus the jitter. */
    Duration delay(int attempts) {
        double millis = config.baseDelay().toMillis() * Math.pow(MULTIPLIER, attempts - 1.0);
        return withJitter(Math.min(millis, config.maxDelay().toMillis()));
    }

    private Duration longestDelay() {
        return withJitter(config.maxDelay().toMillis());
    }

    private Duration withJitter(double millis) {
        double factor = 1 + JITTER * (2 * dice.getAsDouble() - 1);
        return Duration.ofMillis(Math.max(1, Math.round(millis * factor)));
    }
}
