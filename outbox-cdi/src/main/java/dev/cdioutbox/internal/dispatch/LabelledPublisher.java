package dev.cdioutbox.internal.dispatch;

import java.util.function.UnaryOperator;

import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/** Lets one publisher serve several outboxes: it gets the labels of their destinations. */
public final class LabelledPublisher implements OutboxPublisher {
    private final OutboxPublisher publisher;
    private final UnaryOperator<String> label;

    public LabelledPublisher(OutboxPublisher publisher, UnaryOperator<String> label) {
        this.publisher = publisher;
        this.label = label;
    }

    @Override
    public Sender open(String destination) throws PublishException {
        return publisher.open(label.apply(destination));
    }

    @Override
    public void probe(String destination) throws PublishException {
        publisher.probe(label.apply(destination));
    }

    @Override
    public String transport(String destination) throws PublishException {
        return publisher.transport(label.apply(destination));
    }
}
