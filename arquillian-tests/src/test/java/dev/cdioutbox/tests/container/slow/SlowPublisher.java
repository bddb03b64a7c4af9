package dev.cdioutbox.tests.container.slow;

import java.time.Duration;
import java.util.Map;

import jakarta.annotation.Priority;
import jakarta.decorator.Decorator;
import jakarta.decorator.Delegate;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/** A slow broker: it takes its time for each send, or for each message of a batch after the last send. */
@Decorator
@Priority(1)
public abstract class SlowPublisher implements OutboxPublisher {
    /** Longer than the time-out of a transaction for all messages of a test, and shorter for half of them. */
    static final Duration SEND = Duration.ofMillis(300);

    static final Duration END = Duration.ofMillis(2200);

    static volatile String slowToSend = "";
    static volatile String slowToEnd = "";

    @Inject
    @Delegate
    OutboxPublisher publisher;

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        Sender sender = publisher.open(destination);
        return new Sender() {
            private int slow;

            @Override
            public void send(OutboxMessage message) throws PublishException {
                sender.send(message);
                if (slowToSend.equals(message.event().key())) {
                    pause(SEND);
                }
                slow += slowToEnd.equals(message.event().key()) ? 1 : 0;
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
                pause(END.multipliedBy(slow));
                sender.close();
            }
        };
    }

    private static void pause(Duration length) {
        try {
            Thread.sleep(length.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
