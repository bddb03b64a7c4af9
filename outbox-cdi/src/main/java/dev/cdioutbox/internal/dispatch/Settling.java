package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.Settled;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.spi.PublishException;

/** Settles what became of a batch, and tells the listeners once that is committed. */
final class Settling {
    private static final Logger LOG = Logger.getLogger(Settling.class.getName());

    private final OutboxStore store;
    private final Listeners listeners;

    Settling(OutboxStore store, Listeners listeners) {
        this.store = store;
        this.listeners = listeners;
    }

    /** In the current transaction. */
    Outcome settle(Sent sent, Map<Long, String> undecodable, Aftermath aftermath) {
        List<Charge> charged = new ArrayList<>();
        for (Sent.Failure failure : sent.failures()) {
            Retry retry = aftermath.retry().charge(failure.message(), failure.cause(), Problem.reason(failure.cause()));
            charged.add(new Charge(failure.message(), retry));
        }
        List<Retry> retries =
                new ArrayList<>(charged.stream().map(Charge::retry).toList());
        undecodable.forEach((sequence, problem) -> retries.add(aftermath.retry().abandon(sequence, problem)));
        Settled settled = store.settle(
                new Settlement(
                        sequences(sent.messages()),
                        sequences(sent.expired()),
                        retries,
                        aftermath.retention(),
                        aftermath.shadow(),
                        sent.brokerIds()),
                aftermath.lease());
        return new Outcome(sent, charged, undecodable, settled);
    }

    /** In the current transaction; tells nobody. */
    void putOff(List<OutboxMessage> messages, Duration first, PublishException why, Aftermath aftermath) {
        String reason = Problem.reason(why);
        List<Retry> retries = messages.stream()
                .map(message -> aftermath
                        .retry()
                        .putOff(message, first, aftermath.clock().now(), reason))
                .toList();
        store.settle(new Settlement(List.of(), retries), aftermath.lease());
    }

    static List<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).toList();
    }

    void tell(Lane lane, Outcome outcome, Aftermath aftermath, Duration took) {
        Instant now = aftermath.clock().now();
        List<OutboxMessage> sent = outcome.sent().messages();
        if (!sent.isEmpty()) {
            lane.refusals.foundRoom();
            if (aftermath.shadow() == null) {
                listeners.tell(l -> l.published(lane.destination(), sent, now, took));
            } else {
                listeners.tell(l -> l.shadowed(lane.destination(), aftermath.shadow(), sent));
            }
        }
        sent.stream()
                .filter(message -> outcome.discarded().contains(message.sequence()))
                .forEach(message -> listeners.tell(l -> l.discardedTooLate(message)));
        outcome.sent().expired().stream()
                .filter(message -> !outcome.isLeft(message.sequence()))
                .forEach(message -> listeners.tell(l -> l.expired(message)));
        outcome.charged().stream()
                .filter(charge -> !outcome.isLeft(charge.retry().sequence()))
                .forEach(charge -> listeners.tell(l -> l.charged(charge.message(), charge.retry(), now)));
        outcome.undecodable().forEach((sequence, problem) -> {
            if (!outcome.isLeft(sequence)) {
                LOG.severe(Problem.UNDECODABLE_ROW.text(lane.label(), sequence, problem));
                listeners.tell(l -> l.unreadable(lane.destination(), sequence, problem));
            }
        });
    }

    /** What is charged to a message, unless an operator was faster. */
    record Charge(OutboxMessage message, Retry retry) {}

    /** What is told of a batch if its settling commits. */
    record Outcome(Sent sent, List<Charge> charged, Map<Long, String> undecodable, Settled settled) {

        /** What was sent although an operator had discarded it. */
        Set<Long> discarded() {
            return settled.discarded();
        }

        private boolean isLeft(long sequence) {
            return settled.left().contains(sequence);
        }
    }
}
