package dev.cdioutbox.jms.internal;

import java.util.List;

import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ResourceAllocationException;

import dev.cdioutbox.spi.PublishException.Blame;

/** What a provider's failure to send says of the message and of its destination. */
final class Refusal {
    /** ActiveMQ's client knows what its broker takes, and keeps to itself what is larger: it will never be sent. */
    private static final String TOO_LARGE = "MaxFrameSizeExceededException";

    /** Liberty's messaging, of a queue with as many messages as it may have. */
    private static final String LIMIT = "LimitExceededException";

    /** IBM MQ, of a queue and of what it is stored on: 2053 and 2192. */
    private static final List<String> FULL = List.of("MQRC_Q_FULL", "MQRC_STORAGE_MEDIUM_FULL");

    /** So many links of a chain, in which one may stand behind itself. */
    private static final int DEEPEST = 10;

    private Refusal() {}

    static Blame blame(JMSException e) {
        if (e instanceof MessageFormatException || isTooLarge(e.getLinkedException()) || isTooLarge(e.getCause())) {
            return Blame.MESSAGE;
        }
        if (isNoRoom(e)) {
            return Blame.NO_ROOM;
        }
        return e instanceof InvalidDestinationException || e instanceof JMSSecurityException
                ? Blame.DESTINATION
                : Blame.UNKNOWN;
    }

    /** ActiveMQ (with sendFailIfNoSpace) has an exception of JMS for it; Liberty's messaging and IBM MQ tell by what is behind. */
    private static boolean isNoRoom(JMSException e) {
        if (e instanceof ResourceAllocationException) {
            return true;
        }
        Throwable link = e;
        for (int depth = 0; link != null && depth < DEEPEST; depth++) {
            String reason = String.valueOf(link.getMessage());
            if (link.getClass().getSimpleName().endsWith(LIMIT) || FULL.stream().anyMatch(reason::contains)) {
                return true;
            }
            Exception linked = link instanceof JMSException jms ? jms.getLinkedException() : null;
            link = linked == null ? link.getCause() : linked;
        }
        return false;
    }

    /** By its name: the class is the resource adapter's, and the application does not see it. */
    private static boolean isTooLarge(Throwable cause) {
        return cause != null && cause.getClass().getSimpleName().equals(TOO_LARGE);
    }
}
