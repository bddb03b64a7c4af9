package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.function.DoubleSupplier;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetryConfig;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** Decides whether a charged message is retried or abandoned, and when. A function of its arguments and the dice. */
final class RetryPolicy {
    private static final Duration MAX_UNCHARGED_DELAY = Duration.ofMinutes(1);

    private final RetryConfig config;
    private final DoubleSupplier dice;

    /**
     * @param dice numbers from 0 to 1, for the jitter
     */
    RetryPolicy(RetryConfig config, DoubleSupplier dice) {
        this.config = config;
        this.dice = dice;
    }

    Retry charge(OutboxMessage message, PublishException failure, String error) {
        int attempts = message.delivery().attempts() + 1;
        if (failure.blame() == Blame.MESSAGE || attempts >= config.maxAttempts()) {
            return new Retry(message.sequence(), OutboxStatus.ABANDONED, attempts, null, error, blocksKey(message));
        }
        return new Retry(message.sequence(), OutboxStatus.FAILED, attempts, delay(attempts), error, true);
    }

    /** No message waits for a message without an ordering key. */
    private boolean blocksKey(OutboxMessage message) {
        return config.blockOnAbandon() && message.orderingKey() != null;
    }

    Retry abandon(long sequence, String error) {
        return new Retry(sequence, OutboxStatus.ABANDONED, 1, null, error, config.blockOnAbandon());
    }

    /**
     * Schedules a retry without a charge, since the destination is full: after the interval, and then each time after
     * twice the previous delay, at most a minute.
     *
     * @param interval the first delay
     */
    Retry retryUncharged(OutboxMessage message, Duration interval, Instant now, String error) {
        OutboxMessage.Delivery delivery = message.delivery();
        Duration first = atMost(interval);
        Duration delay = first;
        if (delivery.status() == OutboxStatus.FAILED && delivery.lastAttemptAt() != null) {
            Duration twice = Duration.between(delivery.lastAttemptAt(), now).multipliedBy(2);
            Duration most = atMost(twice);
            delay = most.compareTo(first) < 0 ? first : most;
        }
        return new Retry(message.sequence(), OutboxStatus.FAILED, delivery.attempts(), delay, error, true, false);
    }

    private static Duration atMost(Duration delay) {
        return delay.compareTo(MAX_UNCHARGED_DELAY) < 0 ? delay : MAX_UNCHARGED_DELAY;
    }

    /** base × multiplier^(attempts − 1), at most the maximum, plus or minus the jitter. */
    Duration delay(int attempts) {
        double millis = config.baseDelay().toMillis() * Math.pow(config.multiplier(), attempts - 1.0);
        double capped = Math.min(millis, config.maxDelay().toMillis());
        double factor = 1 + config.jitter() * (2 * dice.getAsDouble() - 1);
        return Duration.ofMillis(Math.max(1, Math.round(capped * factor)));
    }
}
