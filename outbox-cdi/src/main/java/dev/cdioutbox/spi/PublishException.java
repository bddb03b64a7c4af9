package dev.cdioutbox.spi;

import java.util.Objects;

/** A message that was not sent, and whose fault that is. */
public class PublishException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whose fault a failure is; decides who is charged an attempt. */
    public enum Blame {
        /** The message can never be sent as it is, and the transport has nothing of it: it is abandoned at once. */
        MESSAGE,
        /** The destination is away, unknown or closed to us: no message is charged, and the destination rests. */
        DESTINATION,
        /**
         * The destination is full at the moment, and the transport has nothing of the message: no message is charged. What got
         * through is committed. After a few of these only smaller messages are tried. If nothing got through, a few are put off
         * for a while, and after these the destination rests.
         */
        DESTINATION_FULL,
        /**
         * Unknown, as is whether the transport has the message all the same. So the transaction is rolled back, and what
         * got through is sent again in another one. The message is charged only if another one to the same destination got
         * through.
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
