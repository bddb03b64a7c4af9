package dev.cdioutbox.tests.recipes;

import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Named;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Sends the messages of a destination to the queue of this name, and waits for the confirmation of each. */
@ApplicationScoped
@Named("rabbitmq")
public class RabbitMqPublisher implements OutboxPublisher {
    private static final int TIMEOUT = 5_000;
    private static final int PERSISTENT = 2;

    @Inject
    @ConfigProperty(name = "rabbitmq.uri")
    URI address;

    private Connection connection;

    @Override
    public boolean joinsTransactions() {
        return false;
    }

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        return new QueueSender(destination.name());
    }

    @Override
    public void probe(DestinationId destination) throws PublishException {
        new QueueSender(destination.name()).close();
    }

    private synchronized Channel channel() throws Exception {
        if (connection == null || !connection.isOpen()) {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setUri(address);
            // The next batch opens a connection if this one breaks.
            factory.setAutomaticRecoveryEnabled(false);
            factory.setConnectionTimeout(TIMEOUT);
            connection = factory.newConnection();
        }
        return connection.createChannel();
    }

    @PreDestroy
    synchronized void stop() {
        if (connection != null) {
            connection.abort();
        }
    }

    private final class QueueSender implements Sender {
        private final String queue;
        private final Channel channel;
        private volatile boolean isReturned;

        QueueSender(String queue) throws PublishException {
            this.queue = queue;
            try {
                channel = channel();
                channel.addReturnListener(returned -> isReturned = true);
                channel.confirmSelect();
                // Fails if there is no such queue.
                channel.queueDeclarePassive(queue);
            } catch (Exception e) {
                throw new PublishException(Blame.DESTINATION, "RabbitMQ has no queue " + queue, e);
            }
        }

        @Override
        public void send(OutboxMessage message) throws PublishException {
            boolean isConfirmed;
            try {
                channel.basicPublish(
                        "",
                        queue,
                        true,
                        properties(message),
                        message.body().payload().toBytes());
                isConfirmed = channel.waitForConfirms(TIMEOUT);
            } catch (IOException | ShutdownSignalException e) {
                // The outbox finds out by probe() whether the broker is away, or has refused this message.
                throw new PublishException(Blame.UNKNOWN, "RabbitMQ has closed the channel", e);
            } catch (TimeoutException e) {
                throw new PublishException(Blame.DESTINATION, "RabbitMQ does not confirm the message", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new PublishException(Blame.DESTINATION, "interrupted", e);
            }
            if (isReturned) {
                throw new PublishException(Blame.DESTINATION, "the queue " + queue + " was deleted", null);
            }
            if (!isConfirmed) {
                throw new PublishException(Blame.DESTINATION_FULL, "the queue " + queue + " takes no message", null);
            }
        }

        /** Each send is confirmed already. */
        @Override
        public Map<OutboxMessage, PublishException> complete() {
            return Map.of();
        }

        @Override
        public void close() {
            try {
                channel.abort();
            } catch (IOException gone) {
                // The channel has ended with its connection.
            }
        }
    }

    private static BasicProperties properties(OutboxMessage message) {
        Map<String, Object> headers = new HashMap<>(message.context().headers());
        headers.put("eventType", message.event().type());
        headers.put("schemaVersion", message.event().version());
        if (message.event().key() != null) {
            headers.put("messageKey", message.event().key());
        }
        if (!message.context().external()) {
            headers.put("sequence", message.sequence());
        }
        BasicProperties.Builder properties = new BasicProperties.Builder()
                .messageId(message.id().toString())
                .contentType(message.body().contentType())
                .deliveryMode(PERSISTENT)
                .headers(headers);
        if (message.terms().timeLeft() != null) {
            properties.expiration(String.valueOf(message.terms().timeLeft().toMillis()));
        }
        return properties.build();
    }
}
