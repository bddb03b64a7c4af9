package dev.cdioutbox.spi;

import java.util.Objects;

/** A message that was not sent, and whose fault that is. */
public class PublishException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whose fault a failure is; decides who is charged an attempt. */
    public enum Blame {
        /** The message can never be sent as it is, and the transport has nothing of it: it is abandoned at once. */
        MESSAGE,
        /** The destination is away, unknown or closed to us: no message is charged, and the destination is tried later. */
        DESTINATION,
        /**
         * The destination is full at the moment, and the transport has nothing of the message: no message is charged. What got
         * through before is committed, and the destination is tried later.
         */
        DESTINATION_FULL,
        /**
         * Unknown, as is whether the transport has the message all the same. So the transaction is rolled back, and the messages
         * that got through are sent again in another one. The dispatcher asks the destination at once, by
         * {@link OutboxPublisher#probe}. If it answers, the message is charged an attempt; if not, no message is.
         */
        UNKNOWN
    }

    private final Blame blame;

    /**
     * Makes an exception.
     *
     * @param blame whose fault it is; not null
     * @param message what happened; not null
     * @param cause the transport's own failure, or null
     */
    public PublishException(Blame blame, String message, Throwable cause) {
        super(message, cause);
        this.blame = Objects.requireNonNull(blame, "blame");
    }

    /**
     * Whose fault the failure is.
     *
     * @return the blame; never null
     */
    public final Blame blame() {
        return blame;
    }
}
