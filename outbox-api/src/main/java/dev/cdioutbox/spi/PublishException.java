package dev.cdioutbox.spi;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Reports that a message was not sent, and whether the message or the destination is to blame.
 *
 * <pre>{@code
 * throw new PublishException(Blame.MESSAGE, "the message is larger than the topic allows", null);
 * }</pre>
 */
public class PublishException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The origin of a failure, which decides whether the dispatcher charges the message an attempt. */
    public enum Blame {
        /**
         * The transport can never send this message. The dispatcher abandons it at once. If {@code send} reports this,
         * the transport has no part of the message, and the batch goes on. If {@code complete} does, the dispatcher rolls
         * the transaction back, and sends the other messages again.
         */
        MESSAGE,
        /**
         * The destination is unreachable, unknown or access is denied, or this node cannot send there. The dispatcher sends
         * nothing more, rolls the transaction back, charges no message and retries the destination later. A {@link
         * LinkageError} or a {@link java.util.ServiceConfigurationError} that leaves the publisher, or is a cause of an
         * {@link #UNKNOWN} failure, counts as this: a class or native library that is missing is missing for each message.
         */
        DESTINATION,
        /**
         * The destination is full at the moment. The dispatcher charges no message, and retries the destination later.
         * If {@code send} reports this, the transport has no part of the message, and the dispatcher commits those sent
         * before. If {@code complete} does, the dispatcher first tries half of the batch.
         */
        DESTINATION_FULL,
        /**
         * The origin is unknown, and the transport may have the message all the same. The dispatcher calls
         * {@link OutboxPublisher#probe} at once, rolls the transaction back, and sends the other messages again in a
         * new one. If the destination answers, the dispatcher charges the message an attempt; otherwise it charges no
         * message. Without attempts left, the message is abandoned once the destination is known to work, because another
         * message was delivered there. An {@link OutOfMemoryError} or {@link StackOverflowError} that leaves the
         * publisher counts as this, since one message can cause it.
         */
        UNKNOWN
    }

    private final Blame blame;
    private final @Nullable Duration retryAfter;

    /**
     * Creates an exception.
     *
     * @param blame the origin of the failure; not null
     * @param message a description of the failure; not null
     * @param cause the transport's own failure, or null
     */
    public PublishException(Blame blame, String message, @Nullable Throwable cause) {
        this(blame, message, cause, null);
    }

    /**
     * Creates an exception with a wish.
     *
     * @param blame the origin of the failure; not null
     * @param message a description of the failure; not null
     * @param cause the transport's own failure, or null
     * @param retryAfter when to try a message again that is charged; positive, or null for the delay by {@code outbox.retry.*}
     * @throws IllegalArgumentException if that is not positive
     */
    public PublishException(Blame blame, String message, @Nullable Throwable cause, @Nullable Duration retryAfter) {
        super(message, cause);
        if (retryAfter != null && (retryAfter.isNegative() || retryAfter.isZero())) {
            throw new IllegalArgumentException("a message cannot be tried again after " + retryAfter);
        }
        this.blame = Objects.requireNonNull(blame, "blame");
        this.retryAfter = retryAfter;
    }

    /**
     * The origin of the failure.
     *
     * @return the blame; never null
     */
    public final Blame blame() {
        return blame;
    }

    /**
     * How long a charged message should wait for its next attempt.
     *
     * @return null for the delay by {@code outbox.retry.*}
     */
    public final @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
