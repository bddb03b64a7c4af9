package dev.cdioutbox.jms.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.consume.MessageInbox;
import dev.cdioutbox.internal.consume.Received;
import dev.cdioutbox.internal.consume.Received.Place;
import dev.cdioutbox.internal.consume.ReceivedJsonEvent;
import dev.cdioutbox.jms.ForeignMessage;
import org.junit.jupiter.api.Test;

/** Guards which of a JMS message's texts the inbox gets. */
class JmsInboxTest {
    private static final Map<String, Object> OF_AN_OUTBOX = Map.of(
            "messageId", "m1", "eventType", "OrderPlaced", "aggregateId", "order-1", "sequence", 7L, "generation", "3");

    private final Recorded recorded = new Recorded();
    private final JmsInbox inbox = new JmsInbox();
    private String brokersId = "ID:1";

    JmsInboxTest() {
        inbox.inbox = recorded;
        inbox.events = new JmsReceivedEvents();
    }

    @Test
    void messageOfAnOutboxIsReadByItsProperties() {
        assertThat(inbox.accept(text(OF_AN_OUTBOX), "shipping")).isTrue();

        assertThat(recorded.handler).isEqualTo("shipping");
        assertThat(recorded.received.message().id()).isEqualTo("m1");
        assertThat(recorded.received.message().correlationId()).isEqualTo("process 7");
        assertThat(recorded.received.place()).isEqualTo(new Place("order-1", 7, null));
        assertThat(recorded.received.redelivered()).isTrue();
        assertThat(recorded.event.type()).isEqualTo("OrderPlaced");
        assertThat(recorded.event.key()).isEqualTo("order-1");
        assertThat(recorded.event.headers()).containsEntry("generation", "3");
    }

    @Test
    void foreignMessageIsWhatItsDescriptionSays() {
        Map<String, Object> foreign = Map.of("aggregateId", "their own", "generation", "next", "origin", "shop");
        ForeignMessage described = ForeignMessage.ofType("PriceChanged")
                .withVersion(2)
                .withKey("article-1")
                .withId("change-9");
        inbox.accept(text(foreign), "prices", described);

        assertThat(recorded.received.message().id()).isEqualTo("change-9");
        assertThat(recorded.received.place()).isNull();
        assertThat(recorded.event.type()).isEqualTo("PriceChanged");
        assertThat(recorded.event.version()).isEqualTo(2);
        assertThat(recorded.event.key()).isEqualTo("article-1");
        assertThat(recorded.event.headers()).containsEntry("origin", "shop").doesNotContainKey("generation");
    }

    @Test
    void foreignMessageNeedsNoIdOfItsOwnIfItsDescriptionHasOne() {
        brokersId = null;
        inbox.accept(
                text(Map.of()), "prices", ForeignMessage.ofType("PriceChanged").withId("change-9"));

        assertThat(recorded.received.message().id()).isEqualTo("change-9");
        assertRefused(text(Map.of()), ForeignMessage.ofType("PriceChanged"), "OBX-0507");
    }

    /** For messages of two outboxes, whose sequences cannot be compared. */
    @Test
    void descriptionHidesTheSequenceAndTheKey() {
        inbox.accept(text(OF_AN_OUTBOX), "prices", ForeignMessage.ofType("OrderPlaced"));

        assertThat(recorded.received.message().id()).isEqualTo("m1");
        assertThat(recorded.received.place()).isNull();
        assertThat(recorded.event.key()).isNull();
    }

    /** The caller may catch the exception, and the message would be acknowledged without a trace. */
    @Test
    void transactionOfAMessageThatCannotBeReadDoesNotCommit() {
        assertRefused(message(ObjectMessage.class, OF_AN_OUTBOX), ForeignMessage.ofType("Any"), "OBX-0512");
        assertRefused(text(OF_AN_OUTBOX), ForeignMessage.ofType("Any").withId(""), "OBX-0507");
        assertRefused(text(OF_AN_OUTBOX), ForeignMessage.ofType("Any").withId("i".repeat(256)), "OBX-0507");
    }

    private void assertRefused(Message message, ForeignMessage described, String code) {
        recorded.refusal = null;
        recorded.event = null;
        assertThatThrownBy(() -> inbox.accept(message, "shipping", described)).isInstanceOf(OutboxException.class);
        assertThat(recorded.refusal.code()).isEqualTo(code);
        assertThat(recorded.event).isNull();
    }

    private Message text(Map<String, Object> properties) {
        return message(TextMessage.class, properties);
    }

    private Message message(Class<? extends Message> type, Map<String, Object> properties) {
        Map<String, String> texts = new TreeMap<>();
        properties.forEach((name, value) -> texts.put(name, value.toString()));
        return ReceivedMessages.fake(type, (method, arguments) -> switch (method) {
            case "getPropertyNames" -> Collections.enumeration(texts.keySet());
            case "getText" -> "{}";
            case "getStringProperty" -> texts.get((String) arguments[0]);
            case "getLongProperty" -> Long.valueOf(String.valueOf(texts.get((String) arguments[0])));
            case "propertyExists" -> texts.containsKey((String) arguments[0]);
            case "getJMSMessageID" -> brokersId;
            case "getJMSCorrelationID" -> "process 7";
            case "getJMSRedelivered" -> true;
            default -> null;
        });
    }

    private static final class Recorded extends MessageInbox {
        private String handler;
        private Received received;
        private ReceivedJsonEvent event;
        private OutboxException refusal;

        @Override
        public boolean accept(String name, Received message, ReceivedJsonEvent read) {
            handler = name;
            received = message;
            event = read;
            return true;
        }

        @Override
        public OutboxException refused(String name, OutboxException why) {
            refusal = why;
            return why;
        }
    }
}
