package dev.cdioutbox.internal.dispatch;

import java.util.List;

import dev.cdioutbox.spi.PublishException;

/**
 * A send failed, and nobody can tell whether the broker has the message all the same: an answer that came too late looks like
 * this. Committed with the others it would be sent again, so the transaction must not commit.
 */
final class SendOutcomeUnknownException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient SendResult sent;
    private final transient List<SendResult.Failure> unproven;

    SendOutcomeUnknownException(SendResult sent, List<SendResult.Failure> uncertain) {
        this.sent = sent;
        this.unproven = List.copyOf(uncertain);
    }

    /** What got through, and what did not. */
    SendResult sent() {
        return sent;
    }

    /** Those that failed and after which nothing got through. */
    List<SendResult.Failure> unproven() {
        return unproven;
    }

    /** What failed first. */
    PublishException firstCause() {
        List<SendResult.Failure> failed = unproven.isEmpty() ? sent.failures() : unproven;
        return failed.get(0).cause();
    }

    /** The one behind a failure, or null. */
    static SendOutcomeUnknownException behind(Throwable failure) {
        for (Throwable link = failure; link != null; link = link.getCause()) {
            if (link instanceof SendOutcomeUnknownException outcomeUnknown) {
                return outcomeUnknown;
            }
        }
        return null;
    }
}
