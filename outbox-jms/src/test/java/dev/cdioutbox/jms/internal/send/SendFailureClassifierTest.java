package dev.cdioutbox.jms.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;

import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ResourceAllocationException;

import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Test;

/** A failed send blames the message, the destination or a full destination by the provider's exception. */
class SendFailureClassifierTest {

    @Test
    void messageThatCanNeverBeSentIsToBlame() {
        assertThat(SendFailureClassifier.blame(new MessageFormatException("no text")))
                .isEqualTo(Blame.MESSAGE);
        JMSException linked = new JMSException("too large", "41300");
        linked.setLinkedException(new MaxFrameSizeExceededException());
        assertThat(SendFailureClassifier.blame(linked)).isEqualTo(Blame.MESSAGE);
        JMSException caused = new JMSException("too large", "41300");
        caused.initCause(new MaxFrameSizeExceededException());
        assertThat(SendFailureClassifier.blame(caused)).isEqualTo(Blame.MESSAGE);
    }

    /** The name of the reason is the same in every language. */
    @Test
    void messageThatIbmMqFindsTooLargeIsToBlame() {
        assertThat(SendFailureClassifier.blame(mq("2030", "MQRC_MSG_TOO_BIG_FOR_Q")))
                .isEqualTo(Blame.MESSAGE);
        assertThat(SendFailureClassifier.blame(mq("2031", "MQRC_MSG_TOO_BIG_FOR_Q_MGR")))
                .isEqualTo(Blame.MESSAGE);
        assertThat(SendFailureClassifier.blame(mq("2218", "MQRC_MSG_TOO_BIG_FOR_CHANNEL")))
                .isEqualTo(Blame.MESSAGE);
    }

    @Test
    void destinationThatIsNotThereOrClosedToUsIsToBlame() {
        assertThat(SendFailureClassifier.blame(new InvalidDestinationException("gone")))
                .isEqualTo(Blame.DESTINATION);
        assertThat(SendFailureClassifier.blame(new JMSSecurityException("closed")))
                .isEqualTo(Blame.DESTINATION);
    }

    @Test
    void nodeWithoutAClassOfTheClientIsToBlame() {
        JMSException linked = new JMSException("cannot be sent");
        linked.setLinkedException(new IOException(new NoClassDefFoundError("broker/Codec")));
        assertThat(SendFailureClassifier.blame(linked)).isEqualTo(Blame.DESTINATION);
    }

    @Test
    void queueThatIsFullSaysSoInTheProvidersOwnWay() {
        assertThat(SendFailureClassifier.blame(new ResourceAllocationException("full")))
                .isEqualTo(Blame.DESTINATION_FULL);

        JMSException liberty = new JMSException("CWSIA0067E");
        liberty.initCause(new IllegalStateException(new SIMPLimitExceededException()));
        assertThat(SendFailureClassifier.blame(liberty)).isEqualTo(Blame.DESTINATION_FULL);

        assertThat(SendFailureClassifier.blame(mq("2053", "MQRC_Q_FULL"))).isEqualTo(Blame.DESTINATION_FULL);

        assertThat(SendFailureClassifier.blame(new JMSException("AMQ219058: Address \"outbox\" is full.")))
                .isEqualTo(Blame.DESTINATION_FULL);
        JMSException artemis = new JMSException("Die Adresse ist voll.");
        artemis.initCause(new ActiveMQAddressFullException());
        assertThat(SendFailureClassifier.blame(artemis)).isEqualTo(Blame.DESTINATION_FULL);
    }

    /** Liberty names the class in a text where it does not give the cause. */
    @Test
    void fullMessageStoreOfLibertyIsAFullDestination() {
        JMSException caused = new JMSException("CWSIA0053E");
        caused.initCause(new IllegalStateException(new ObjectStoreFullException()));
        assertThat(SendFailureClassifier.blame(caused)).isEqualTo(Blame.DESTINATION_FULL);
        assertThat(SendFailureClassifier.isStoreFull(caused)).isTrue();

        for (String text : List.of(
                "CWSIS1002E: com.ibm.ws.sib.msgstore.PersistenceFullException: CWSIS1574E",
                "CWSIS1573E: The file store's log file is full.",
                "CWSOM1042E: ObjectStore was asked to allocate space when it was full.",
                "CWSOM1027E: Log file was too full")) {
            assertThat(SendFailureClassifier.blame(new JMSException(text)))
                    .as(text)
                    .isEqualTo(Blame.DESTINATION_FULL);
        }
        assertThat(SendFailureClassifier.isStoreFull(new JMSException("AMQ219058: Address is full.")))
                .isFalse();
    }

    @Test
    void otherFailuresAreUnknown() {
        JMSException caused = new JMSException("cut off");
        caused.initCause(new IOException("cut off"));
        assertThat(SendFailureClassifier.blame(caused)).isEqualTo(Blame.UNKNOWN);
    }

    private static JMSException mq(String reason, String name) {
        JMSException mq = new JMSException("JMSWMQ2007: Failed to send a message to destination 'ORDERS'.");
        mq.setLinkedException(
                new IOException("JMSCMQ0001: IBM MQ call failed with compcode '2' ('MQCC_FAILED') reason '%s' ('%s')."
                        .formatted(reason, name)));
        return mq;
    }

    /** Has the name of Liberty's exception. */
    private static final class SIMPLimitExceededException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Has the name of Liberty's exception. */
    private static final class ObjectStoreFullException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Has the name of Artemis's exception. */
    private static final class ActiveMQAddressFullException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Has the name of ActiveMQ's exception. */
    private static final class MaxFrameSizeExceededException extends IOException {
        private static final long serialVersionUID = 1L;
    }
}
