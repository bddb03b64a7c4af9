package dev.cdioutbox.jms.internal.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

import jakarta.jms.JMSException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.TextMessage;

import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import org.junit.jupiter.api.Test;

/** Guards where a dead letter is sent back: to a queue only that its message has been in. */
class LetterMappingTest {
    private static final String LIBERTY = "com.ibm.ws.sib.api.jms.impl.JmsTextMessageImpl";
    private static final String ARTEMIS = "org.apache.activemq.artemis.jms.client.ActiveMQTextMessage";

    @Test
    void originIsTheQueueThatTheBrokerNames() throws JMSException {
        assertOrigin("parcels", LIBERTY, "JMS_IBM_ExceptionProblemDestination", "parcels");
        assertOrigin("parcels", ARTEMIS, "_AMQ_ORIG_ADDRESS", "parcels", "_AMQ_ORIG_QUEUE", "parcels");
    }

    @Test
    void otherwiseItIsTheQueueToWhichTheOutboxHasSent() throws JMSException {
        assertOrigin("sent", LIBERTY);
        assertOrigin("sent", LIBERTY, "JMS_IBM_ExceptionProblemDestination", "exceptions");
        assertOrigin("sent", ARTEMIS);
    }

    /** Otherwise a sender would have an operator send its message to a queue that is closed to the sender. */
    @Test
    void whatASenderCanSetIsNotBelieved() throws JMSException {
        String[] set = {"_AMQ_ORIG_ADDRESS", "vault", "_AMQ_ORIG_QUEUE", "vault"};
        String[] setToo = {"JMS_IBM_ExceptionProblemDestination", "vault"};
        assertOrigin("sent", "org.apache.activemq.command.ActiveMQTextMessage", set);
        assertOrigin("sent", "org.apache.activemq.command.ActiveMQTextMessage", setToo);
        assertOrigin("sent", LIBERTY, set);
        assertOrigin("sent", ARTEMIS, setToo);
    }

    @Test
    void subscriptionCannotBeReachedAlone() throws JMSException {
        assertOrigin(
                null,
                LIBERTY,
                "JMS_IBM_ExceptionProblemDestination",
                "Default.Topic.Space",
                "JMS_IBM_ExceptionProblemSubscription",
                "reader");
        assertOrigin(null, ARTEMIS, "_AMQ_ORIG_ADDRESS", "news", "_AMQ_ORIG_QUEUE", "shop.reader");
    }

    private static void assertOrigin(String expected, String client, String... properties) throws JMSException {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < properties.length; i += 2) {
            all.put(properties[i], properties[i + 1]);
        }
        assertThat(LetterMapping.origin(message(all), client, "exceptions", () -> "sent"))
                .isEqualTo(expected);
    }

    @Test
    void messageOfAnotherSenderIsADeadLetterToo() throws JMSException {
        assertThat(letter(Map.of("colour", "red"), true))
                .isEqualTo(new DeadLetter(
                        "ID:1",
                        null,
                        "dead",
                        null,
                        null,
                        null,
                        Instant.ofEpochMilli(1000),
                        null,
                        null,
                        "text",
                        Map.of("colour", "red")));
    }

    /** Otherwise this one would hide all letters of the queue. */
    @Test
    void letterWhoseTimeIsNoNumberIsShown() throws JMSException {
        assertThat(letter(Map.of("JMS_IBM_ExceptionTimestamp", "yesterday"), false)
                        .failedAt())
                .isNull();
        assertThat(letter(Map.of("JMS_IBM_ExceptionTimestamp", "2000"), false).failedAt())
                .isEqualTo(Instant.ofEpochMilli(2000));
    }

    @Test
    void letterWithAPropertyThatIsNoTextIsShown() throws JMSException {
        Map<String, Object> properties = new HashMap<>(Map.of("colour", "red", "digest", new byte[] {1}));

        assertThat(LetterMapping.letter(message(properties), "exceptions", "dead", false, id -> null)
                        .properties())
                .isEqualTo(Map.of("colour", "red"));
    }

    @Test
    void payloadIsNotReadForAList() throws JMSException {
        assertThat(letter(Map.of(), false).text()).isNull();
    }

    @Test
    void filterBecomesASelector() {
        assertThat(LetterMapping.selector(new DeadLetterFilter(null, null, null)))
                .isNull();
        assertThat(LetterMapping.selector(new DeadLetterFilter("ID:1", null, null)))
                .isEqualTo("JMSMessageID = 'ID:1'");
        assertThat(LetterMapping.selector(new DeadLetterFilter("7", "Placed", "it's ' OR '1' = '1")))
                .isEqualTo("messageId = '7' AND JMSType = 'Placed' AND (messageKey = 'it''s '' OR ''1'' = ''1'"
                        + " OR messageKey IS NULL AND aggregateId = 'it''s '' OR ''1'' = ''1')");
    }

    private static DeadLetter letter(Map<String, String> properties, boolean withText) throws JMSException {
        return LetterMapping.letter(message(properties), "exceptions", "dead", withText, id -> "sent " + id);
    }

    private static TextMessage message(Map<String, ?> properties) {
        return (TextMessage) Proxy.newProxyInstance(
                TextMessage.class.getClassLoader(),
                new Class<?>[] {TextMessage.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getPropertyNames" -> Collections.enumeration(properties.keySet());
                    case "getStringProperty" -> text(properties.get((String) arguments[0]));
                    case "getJMSMessageID" -> "ID:1";
                    case "getJMSTimestamp" -> 1000L;
                    case "getText" -> "text";
                    default -> null;
                });
    }

    private static Object text(Object property) throws MessageFormatException {
        if (property instanceof byte[]) {
            throw new MessageFormatException("bytes are no text");
        }
        return property;
    }
}
