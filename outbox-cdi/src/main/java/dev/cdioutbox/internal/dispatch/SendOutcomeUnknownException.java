package dev.cdioutbox.internal.dispatch;

import java.util.List;

import dev.cdioutbox.spi.PublishException;

/**
 * A send failed, and the broker may have the message all the same, as after a late reply. The transaction must not
 * commit: the message would be sent again.
 */
final class SendOutcomeUnknownException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient SendResult sent;
    private final transient List<SendResult.Failure> unproven;

    SendOutcomeUnknownException(SendResult sent, List<SendResult.Failure> uncertain) {
        this.sent = sent;
        this.unproven = List.copyOf(uncertain);
    }

    /** The result so far. */
    SendResult sent() {
        return sent;
    }

    /** The failed messages after which no message succeeded. */
    List<SendResult.Failure> unproven() {
        return unproven;
    }

    /** The first failure. */
    PublishException firstCause() {
        List<SendResult.Failure> failed = unproven.isEmpty() ? sent.failures() : unproven;
        return failed.get(0).cause();
    }

    /** The exception of this type in the chain of causes, or null. */
    static SendOutcomeUnknownException behind(Throwable failure) {
        for (Throwable link = failure; link != null; link = link.getCause()) {
            if (link instanceof SendOutcomeUnknownException outcomeUnknown) {
                return outcomeUnknown;
            }
        }
        return null;
    }
}
