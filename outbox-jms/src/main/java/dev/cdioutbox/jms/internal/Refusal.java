package dev.cdioutbox.jms.internal;

import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.MessageFormatException;

import dev.cdioutbox.spi.PublishException.Blame;

/** What a provider's failure to send says of the message and of its destination. */
final class Refusal {
    /** ActiveMQ's client knows what its broker takes, and keeps to itself what is larger: it will never be sent. */
    private static final String TOO_LARGE = "MaxFrameSizeExceededException";

    private Refusal() {}

    static Blame blame(JMSException e) {
        if (e instanceof MessageFormatException || isTooLarge(e.getLinkedException()) || isTooLarge(e.getCause())) {
            return Blame.MESSAGE;
        }
        return e instanceof InvalidDestinationException || e instanceof JMSSecurityException
                ? Blame.DESTINATION
                : Blame.UNKNOWN;
    }

    /** By its name: the class is the resource adapter's, and the application does not see it. */
    private static boolean isTooLarge(Throwable cause) {
        return cause != null && cause.getClass().getSimpleName().equals(TOO_LARGE);
    }
}
