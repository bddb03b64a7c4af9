package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.listener.ListenerNotifier;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.SettlementResult;

/** Settles the result of a batch, and notifies the listeners after the commit. */
final class BatchSettler {
    private static final Logger LOG = Logger.getLogger(BatchSettler.class.getName());

    private final OutboxStore store;
    private final ListenerNotifier listeners;

    BatchSettler(OutboxStore store, ListenerNotifier listeners) {
        this.store = store;
        this.listeners = listeners;
    }

    /**
     * Settles in the current transaction.
     *
     * @param failures the messages to charge
     * @param unreadable the reasons by sequence
     */
    Outcome settle(
            SendResult result,
            List<SendResult.Failure> failures,
            Map<Long, String> unreadable,
            DeliveryContext context) {
        List<Charge> charged = new ArrayList<>();
        for (SendResult.Failure failure : failures) {
            Retry retry = context.retry().charge(failure.message(), failure.cause(), Problem.reason(failure.cause()));
            charged.add(new Charge(failure.message(), retry));
        }
        List<Retry> retries =
                new ArrayList<>(charged.stream().map(Charge::retry).toList());
        unreadable.forEach((sequence, problem) -> retries.add(context.retry().abandon(sequence, problem)));
        SettlementResult settled = store.settle(
                new Settlement(
                        sequences(result.sent()),
                        sequences(result.expired()),
                        retries,
                        context.config().retention(),
                        context.shadow(),
                        result.brokerIds()),
                context.lease());
        return new Outcome(result, charged, unreadable, settled);
    }

    private static List<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).toList();
    }

    void notifyListeners(Outcome outcome, DeliveryContext context, Duration took) {
        Instant now = context.clock().now();
        List<OutboxMessage> sent = outcome.result().sent();
        if (!sent.isEmpty()) {
            if (context.shadow() == null) {
                listeners.notifyEach(l -> l.published(context.label(), sent, now, took));
            } else {
                listeners.notifyEach(l -> l.shadowed(context.label(), context.shadow(), sent));
            }
        }
        sent.stream()
                .filter(message -> outcome.discarded().contains(message.sequence()))
                .forEach(message -> listeners.notifyEach(l -> l.discardedTooLate(context.label(), message)));
        outcome.result().expired().stream()
                .filter(message -> !outcome.isLeft(message.sequence()))
                .forEach(message -> listeners.notifyEach(l -> l.expired(context.label(), message)));
        outcome.charged().stream()
                .filter(charge -> !outcome.isLeft(charge.retry().sequence()))
                .forEach(charge ->
                        listeners.notifyEach(l -> l.charged(context.label(), charge.message(), charge.retry(), now)));
        outcome.unreadable().forEach((sequence, problem) -> {
            if (!outcome.isLeft(sequence)) {
                LOG.severe(Problem.UNREADABLE_ROW.text(context.label(), sequence, problem));
                listeners.notifyEach(l -> l.unreadable(context.label(), sequence, problem));
            }
        });
    }

    /** A charge, unless an operator changed the message first. */
    record Charge(OutboxMessage message, Retry retry) {}

    /** The notifications of a batch, sent if its settlement commits. */
    record Outcome(SendResult result, List<Charge> charged, Map<Long, String> unreadable, SettlementResult settled) {

        /** Messages that were sent although an operator had discarded them. */
        Set<Long> discarded() {
            return settled.discarded();
        }

        private boolean isLeft(long sequence) {
            return settled.leftUnchanged().contains(sequence);
        }
    }
}
