package dev.cdioutbox;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A failure of an {@link OutboxHandler} with a wish: when the message is tried again, or that it is not. The handler's transaction
 * is rolled back, as with any exception. The outbox also finds the wish among the causes of another exception.
 *
 * <pre>{@code
 * @OutboxHandler("billing")
 * public void bill(OrderPlaced order) throws HandlerException {
 *     if (bank.isClosed()) {
 *         throw HandlerException.retryAfter(Duration.ofHours(1), "the bank is closed", null);
 *     }
 * }
 * }</pre>
 *
 * <p>It is checked, so that an EJB can throw it without a line of the container in the log.
 */
public final class HandlerException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Null for no retry. */
    private final @Nullable Duration retryAfter;

    private HandlerException(@Nullable Duration retryAfter, String message, @Nullable Throwable cause) {
        super(Objects.requireNonNull(message, "message"), cause);
        this.retryAfter = retryAfter;
    }

    /**
     * The message should be tried again after this time, instead of the delay by {@code outbox.retry.base-delay}. The attempt counts:
     * the message is given up after {@code outbox.retry.max-attempts}.
     *
     * @param delay the time from the failure; a millisecond at least, and at most 365 days
     * @param message why the message cannot be handled now, for the log and the console; not null
     * @param cause the underlying failure, or null
     * @return the exception, to be thrown
     * @throws IllegalArgumentException if the delay is out of bounds
     */
    public static HandlerException retryAfter(Duration delay, String message, @Nullable Throwable cause) {
        if (delay.compareTo(Duration.ofMillis(1)) < 0 || delay.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException("a delay is between a millisecond and 365 days, not " + delay);
        }
        return new HandlerException(delay, message, cause);
    }

    /**
     * The message will never succeed, so it is abandoned at once. An operator can retry it.
     *
     * @param message why the message cannot be handled, for the log and the console; not null
     * @param cause the underlying failure, or null
     * @return the exception, to be thrown
     */
    public static HandlerException doNotRetry(String message, @Nullable Throwable cause) {
        return new HandlerException(null, message, cause);
    }

    /**
     * The time after which the message should be tried again.
     *
     * @return null if it should not
     */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
