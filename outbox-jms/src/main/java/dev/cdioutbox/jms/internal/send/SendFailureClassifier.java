package dev.cdioutbox.jms.internal.send;

import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.function.Predicate;

import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ResourceAllocationException;

import dev.cdioutbox.spi.PublishException.Blame;

/** Classifies a provider's exception: is the message or the destination to blame for a failed send? */
final class SendFailureClassifier {
    /** ActiveMQ's client throws this for a message above the broker's frame size: the message can never be sent. */
    private static final String LARGER = "MaxFrameSizeExceededException";

    /** IBM MQ, for a message above the limit of a queue, its manager or a channel: codes 2030, 2031 and 2218. */
    private static final String TOO_BIG = "MQRC_MSG_TOO_BIG_FOR_";

    /** Liberty's messaging, and Artemis, for a full queue. */
    private static final List<String> FULL_CLASSES = List.of("LimitExceededException", "AddressFullException");

    /** Liberty's messaging, for a full message store or a full log of it: the classes, and the codes of their texts. */
    private static final List<String> FULL_STORE = List.of(
            "PersistenceFullException",
            "ObjectStoreFullException",
            "LogFileFullException",
            "CWSIS1573E",
            "CWSIS1574E",
            "CWSOM1027E",
            "CWSOM1042E");

    /**
     * IBM MQ, for a full queue and for full storage: codes 2053 and 2192. Artemis, for a full address: its client, and its
     * broker.
     */
    private static final List<String> FULL =
            List.of("MQRC_Q_FULL", "MQRC_STORAGE_MEDIUM_FULL", "AMQ219058", "AMQ229102");

    /** In causes: a chain of linked exceptions may contain a cycle. */
    private static final int DEEPEST = 10;

    private SendFailureClassifier() {}

    static Blame blame(Throwable e) {
        if (e instanceof MessageFormatException || isSaid(e, SendFailureClassifier::isTooLarge)) {
            return Blame.MESSAGE;
        }
        if (e instanceof ResourceAllocationException || isSaid(e, SendFailureClassifier::isNoRoom) || isStoreFull(e)) {
            return Blame.DESTINATION_FULL;
        }
        return e instanceof InvalidDestinationException
                        || e instanceof JMSSecurityException
                        || isSaid(e, SendFailureClassifier::isOfNode)
                ? Blame.DESTINATION
                : Blame.UNKNOWN;
    }

    /** Whether the message store of Liberty's messaging has no room, for whatever queue. */
    static boolean isStoreFull(Throwable e) {
        return isSaid(
                e,
                link -> FULL_STORE.contains(link.getClass().getSimpleName())
                        || FULL_STORE.stream().anyMatch(text(link)::contains));
    }

    /** A class or a native library that this node cannot load is missing for each message. */
    private static boolean isOfNode(Throwable link) {
        return link instanceof LinkageError || link instanceof ServiceConfigurationError;
    }

    /** Tests the failure and its causes. */
    private static boolean isSaid(Throwable e, Predicate<Throwable> what) {
        Throwable link = e;
        for (int depth = 0; link != null && depth < DEEPEST; depth++) {
            if (what.test(link)) {
                return true;
            }
            Exception linked = link instanceof JMSException jms ? jms.getLinkedException() : null;
            link = linked == null ? link.getCause() : linked;
        }
        return false;
    }

    /** Compares names and texts, because the application does not see the resource adapter's classes. */
    private static boolean isTooLarge(Throwable link) {
        return link.getClass().getSimpleName().equals(LARGER) || text(link).contains(TOO_BIG);
    }

    /**
     * ActiveMQ (with sendFailIfNoSpace) throws a special JMS exception; Liberty's messaging, Artemis and IBM MQ have a
     * linked exception or a code.
     */
    private static boolean isNoRoom(Throwable link) {
        return FULL_CLASSES.stream().anyMatch(link.getClass().getSimpleName()::endsWith)
                || FULL.stream().anyMatch(text(link)::contains);
    }

    private static String text(Throwable link) {
        return String.valueOf(link.getMessage());
    }
}
