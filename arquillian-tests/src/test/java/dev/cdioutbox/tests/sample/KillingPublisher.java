package dev.cdioutbox.tests.sample;

import java.util.Map;

import jakarta.annotation.Priority;
import jakarta.decorator.Decorator;
import jakarta.decorator.Delegate;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/** A publisher that sends the messages of a certain customer and then kills its process. */
@Decorator
@Priority(1)
public abstract class KillingPublisher implements OutboxPublisher {
    static final String VICTIM = "crashing message";

    @Inject
    @Delegate
    OutboxPublisher publisher;

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        Sender sender = publisher.open(destination);
        return new Sender() {
            @Override
            public void send(OutboxMessage message) throws PublishException {
                sender.send(message);
                if (message.body().text().contains("\"" + VICTIM + "\"")) {
                    Runtime.getRuntime().halt(134);
                }
            }

            @Override
            public Map<OutboxMessage, PublishException> complete() throws PublishException {
                return sender.complete();
            }

            @Override
            public String brokerMessageId(OutboxMessage message) {
                return sender.brokerMessageId(message);
            }

            @Override
            public void close() {
                sender.close();
            }
        };
    }
}
