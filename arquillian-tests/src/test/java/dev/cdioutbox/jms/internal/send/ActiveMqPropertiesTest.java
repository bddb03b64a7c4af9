package dev.cdioutbox.jms.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Delivery;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.StoredMessage.Terms;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.jms.internal.consume.JmsReceivedEvents;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client of ActiveMQ reads each character beyond the basic plane in a property as U+FFFD twice. */
class ActiveMqPropertiesTest {
    private static final String SMILE = "\ud83d\ude00";
    private static final String FROWN = "\ud83d\ude1f";

    private final BrokerService broker = new BrokerService();
    private String url;

    @BeforeEach
    void start() throws Exception {
        broker.setPersistent(false);
        broker.setUseJmx(false);
        // Over TCP: within a JVM, no property is encoded.
        url = broker.addConnector("tcp://localhost:0").getPublishableConnectString();
        broker.start();
    }

    @AfterEach
    void stop() throws Exception {
        broker.stop();
    }

    @Test
    void keysThatDifferInACharacterBeyondTheBasicPlaneStayTwo() throws JMSException {
        assertThat(received(SMILE, Map.of()).key()).isEqualTo(SMILE);
        assertThat(received(FROWN, Map.of()).key()).isEqualTo(FROWN);
    }

    @Test
    void everyTextArrivesAsItWasSent() throws JMSException {
        ReceivedEvent event = received("ä & = %F0 " + SMILE, Map.of("mood", FROWN + SMILE, "plain", "ä \ufffd"));

        assertThat(event.type()).isEqualTo("Placed" + SMILE);
        assertThat(event.text()).isEqualTo(SMILE);
        assertThat(event.headers())
                .containsEntry("aggregateId", "ä & = %F0 " + SMILE)
                .containsEntry("aggregateType", "Order" + SMILE)
                .containsEntry("tenantId", "tenant" + SMILE)
                .containsEntry("causationId", "cause" + SMILE)
                .containsEntry("mood", FROWN + SMILE)
                .containsEntry("plain", "ä \ufffd")
                .doesNotContainKey("encodedProperties");
    }

    @Test
    void bytesArriveAsTheyWereSent() throws JMSException {
        byte[] bytes = {0, -1, 'a'};

        ReceivedEvent event = received(new Body("avro/binary", OutboxPayload.binary(bytes)), "1", Map.of());

        assertThat(event.bytes()).isEqualTo(bytes);
        assertThat(event.contentType()).isEqualTo("avro/binary");
    }

    private ReceivedEvent received(String key, Map<String, String> headers) throws JMSException {
        return received(new Body("application/json", OutboxPayload.text(SMILE)), key, headers);
    }

    private ReceivedEvent received(Body body, String key, Map<String, String> headers) throws JMSException {
        OutboxMessage message = new StoredMessage(
                7,
                UUID.randomUUID(),
                new Event("Placed" + SMILE, 1, "Order" + SMILE, key),
                body,
                new Context(null, "cause" + SMILE, "tenant" + SMILE, headers),
                Terms.NONE,
                new Delivery("default", OutboxStatus.PENDING, 0, null, null, null, null, null),
                Instant.EPOCH,
                Instant.EPOCH);
        try (Connection connection = new ActiveMQConnectionFactory(url).createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
            connection.start();
            Queue queue = session.createQueue("outbox");
            DestinationConfig config = new DestinationConfig(
                    "jms", "jms/outbox", "jms/factory", Duration.ZERO, true, false, null, Map.of());
            session.createProducer(queue)
                    .send(MessageMapping.toJms(message, session, config, new MessageOptions(false, "/shop", false)));
            try (MessageConsumer consumer = session.createConsumer(queue)) {
                Message received = consumer.receive(60_000);
                return new JmsReceivedEvents().read(received);
            }
        }
    }
}
