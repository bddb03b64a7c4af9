package dev.cdioutbox.internal.dispatch.container;

import java.util.function.UnaryOperator;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/**
 * The publisher for the destinations of one outbox. Passes the labels of destinations to the application's publisher,
 * which serves several outboxes. Drops messages for the shadow destination "discard".
 */
public final class WorkerPublisher implements OutboxPublisher {
    private static final Sender NOWHERE = new Sender() {
        @Override
        public void send(OutboxMessage message) {
            // The settlement only sets the shadow mark on the row.
        }

        @Override
        public void close() {
            // There is no resource to close.
        }
    };

    private final OutboxPublisher publisher;
    private final UnaryOperator<String> label;

    public WorkerPublisher(OutboxPublisher publisher, UnaryOperator<String> label) {
        this.publisher = publisher;
        this.label = label;
    }

    public static boolean isNowhere(String destination) {
        return DispatcherConfig.DISCARD.equals(destination);
    }

    @Override
    public Sender open(String destination) throws PublishException {
        return isNowhere(destination) ? NOWHERE : publisher.open(label.apply(destination));
    }

    @Override
    public void probe(String destination) throws PublishException {
        if (!isNowhere(destination)) {
            publisher.probe(label.apply(destination));
        }
    }

    @Override
    public String transport(String destination) throws PublishException {
        return isNowhere(destination) ? "nowhere" : publisher.transport(label.apply(destination));
    }
}
