package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Delivery;
import dev.cdioutbox.internal.store.Retry;

/**
 * Replaces the destination by its label, for a listener that serves several outboxes. Backlog and table checks are left
 * out: there is one per outbox, and the listener could not tell them apart.
 */
public final class LabelledListener implements DispatchListener {
    private final DispatchListener listener;
    private final UnaryOperator<String> label;

    public LabelledListener(DispatchListener listener, UnaryOperator<String> label) {
        this.listener = listener;
        this.label = label;
    }

    @Override
    public void ticked() {
        listener.ticked();
    }

    @Override
    public void claimed(String destination, int partitions, Duration took) {
        listener.claimed(label.apply(destination), partitions, took);
    }

    @Override
    public void released(String destination, int partitions) {
        listener.released(label.apply(destination), partitions);
    }

    @Override
    public void published(String destination, List<OutboxMessage> messages, Instant at, Duration took) {
        listener.published(
                label.apply(destination), messages.stream().map(this::labelled).toList(), at, took);
    }

    @Override
    public void charged(OutboxMessage message, Retry retry, Instant at) {
        listener.charged(labelled(message), retry, at);
    }

    @Override
    public void unreadable(String destination, long sequence, String problem) {
        listener.unreadable(label.apply(destination), sequence, problem);
    }

    @Override
    public void began(String destination) {
        listener.began(label.apply(destination));
    }

    @Override
    public void ended(String destination, int failures) {
        listener.ended(label.apply(destination), failures);
    }

    @Override
    public void expired(OutboxMessage message) {
        listener.expired(labelled(message));
    }

    @Override
    public void discardedTooLate(OutboxMessage message) {
        listener.discardedTooLate(labelled(message));
    }

    @Override
    public void failed(String destination, int messages, Throwable cause) {
        listener.failed(label.apply(destination), messages, cause);
    }

    @Override
    public void shadowed(String destination, String shadow, List<OutboxMessage> messages) {
        listener.shadowed(
                label.apply(destination),
                label.apply(shadow),
                messages.stream().map(this::labelled).toList());
    }

    @Override
    public void commitIncomplete(String destination, int settled, int inDoubt) {
        listener.commitIncomplete(label.apply(destination), settled, inDoubt);
    }

    @Override
    public void guaranteeReported(DeliveryGuarantee guarantee) {
        listener.guaranteeReported(guarantee.named(label.apply(guarantee.destination())));
    }

    private OutboxMessage labelled(OutboxMessage message) {
        Delivery delivery = message.delivery();
        return new OutboxMessage(
                message.sequence(),
                message.id(),
                message.event(),
                message.body(),
                message.context(),
                message.terms(),
                new Delivery(
                        label.apply(delivery.destination()),
                        delivery.status(),
                        delivery.attempts(),
                        delivery.lastAttemptAt(),
                        delivery.lastError(),
                        delivery.publishedAt(),
                        delivery.brokerMessageId(),
                        delivery.shadowDestination()),
                message.occurredAt(),
                message.createdAt());
    }
}
