package dev.cdioutbox.tests.recipes;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import dev.cdioutbox.testing.PublisherContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every publisher promises, for that of docs/recipes.md, with a real broker. */
@Tag("full")
class RabbitMqPublisherTest extends PublisherContract {
    private static final String QUEUE = "contract";
    private static final String FULL = "full";

    private static RabbitMq broker;
    private static RabbitMqPublisher publisher;
    private static Connection connection;
    private static Channel consumer;

    @BeforeAll
    static void start() throws Exception {
        broker = RabbitMq.start();
        publisher = new RabbitMqPublisher();
        publisher.address = broker.uri();
        connect();
        consumer.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", "quorum"));
        consumer.queueDeclare(FULL, true, false, false, Map.of("x-max-length", 0, "x-overflow", "reject-publish"));
    }

    private static void connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.uri());
        factory.setAutomaticRecoveryEnabled(false);
        connection = factory.newConnection();
        consumer = connection.createChannel();
    }

    @AfterAll
    static void stop() throws Exception {
        if (broker != null) {
            publisher.stop();
            connection.abort();
            broker.close();
        }
    }

    @Override
    protected OutboxPublisher publisher() {
        return publisher;
    }

    @Override
    protected DestinationId destination() {
        return DestinationId.ofDefaultOutbox(QUEUE);
    }

    @Override
    protected DestinationId absentDestination() {
        return DestinationId.ofDefaultOutbox("absent");
    }

    @Override
    protected DestinationId fullDestination() {
        return DestinationId.ofDefaultOutbox(FULL);
    }

    @Override
    protected List<Received> receiveUntil(UUID last) throws Exception {
        List<Received> received = new ArrayList<>();
        do {
            GetResponse message = consumer.basicGet(QUEUE, true);
            if (message == null) {
                throw new TimeoutException("no message " + last);
            }
            received.add(received(message));
        } while (!last.equals(received.get(received.size() - 1).id()));
        return received;
    }

    private static Received received(GetResponse message) {
        Map<String, String> headers = new HashMap<>();
        message.getProps().getHeaders().forEach((name, value) -> headers.put(name, String.valueOf(value)));
        return Received.of(
                UUID.fromString(message.getProps().getMessageId()),
                OutboxPayload.binary(message.getBody()),
                headers.get("messageKey"),
                headers);
    }

    /** Blamed on the destination, it would be sent again for ever, and all others behind it. */
    @Test
    void messageThatClosesTheChannelIsNotBlamedOnTheQueue() throws Exception {
        try (Sender sender = publisher.open(destination())) {
            assertBlame(Blame.UNKNOWN, sender, "x".repeat(RabbitMq.LARGEST_MESSAGE + 1));
        }
        publisher.probe(destination());
    }

    /** The broker confirms a message even if it has no queue for it. */
    @Test
    void messageForAQueueThatWasDeletedIsNotLost() throws Exception {
        String queue = "deleted";
        consumer.queueDeclare(queue, true, false, false, Map.of());
        try (Sender sender = publisher.open(DestinationId.ofDefaultOutbox(queue))) {
            consumer.queueDelete(queue);

            assertBlame(Blame.DESTINATION, sender, "a text");
        }
    }

    private static void assertBlame(Blame blame, Sender sender, String text) {
        Instant now = Instant.now();
        OutboxMessage message = new StoredMessage(
                1,
                UUID.randomUUID(),
                new StoredMessage.Event("OrderPlaced", 1, null, "o-1"),
                new StoredMessage.Body("text/plain", OutboxPayload.text(text)),
                StoredMessage.Context.NONE,
                StoredMessage.Terms.NONE,
                new StoredMessage.Delivery("orders", OutboxStatus.PENDING, 0, null, null, null, null, null),
                now,
                now);
        assertThatThrownBy(() -> sender.send(message))
                .asInstanceOf(type(PublishException.class))
                .extracting(PublishException::blame)
                .isEqualTo(blame);
    }

    /** The next batch must not fail because of the connection of the one before. */
    @Test
    void brokerThatWasRestartedIsFoundAgain() throws Exception {
        publisher.probe(destination());
        broker.restart();
        publisher.probe(destination());
        connect();
    }
}
