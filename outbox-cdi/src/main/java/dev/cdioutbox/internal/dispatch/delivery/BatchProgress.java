package dev.cdioutbox.internal.dispatch.delivery;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery.Failure;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryTransaction.Outcome;
import dev.cdioutbox.internal.dispatch.delivery.SendLoop.SendLog;

/**
 * What has become of the messages of a batch so far. Tells which of the others may be sent or charged, so that no message
 * overtakes an earlier one of its key.
 */
final class BatchProgress {
    private final List<OutboxMessage> batch;
    private final Set<Long> settled = new HashSet<>();
    private final Set<Long> inDoubt = new HashSet<>();
    private final Map<Long, Failure> failed = new HashMap<>();
    private final Set<Long> charged = new HashSet<>();
    private final List<OutboxMessage> expired = new ArrayList<>();

    /** @param batch the messages; each key in order and without a gap */
    BatchProgress(List<OutboxMessage> batch) {
        this.batch = batch;
    }

    void add(Outcome outcome) {
        outcome.log().failed().forEach(this::blame);
        Set<Long> through = sequences(outcome.log().through());
        switch (outcome.end()) {
            case SENT, FULL -> {
                settled.addAll(through);
                charged.addAll(outcome.charged());
                expired.addAll(outcome.expiredLater());
            }
            case COMMIT_IN_DOUBT, COMMIT_UNKNOWN -> {
                inDoubt.addAll(through);
                charged.addAll(outcome.charged());
            }
            case DISCARDED -> settled.addAll(outcome.discarded());
            default -> {}
        }
    }

    /** A take-over has settled these, which an earlier transaction had sent. */
    void settledByMarker(Set<Long> sequences) {
        batch.stream().map(OutboxMessage::sequence).filter(sequences::contains).forEach(settled::add);
    }

    void blame(Failure failure) {
        failed.put(failure.message().sequence(), failure);
    }

    /** The expired messages that are left to settle: no message waits for them any more. */
    List<OutboxMessage> expired() {
        return expired;
    }

    /** Whether at least one message is settled or blamed. The next claim then reads a different batch. */
    boolean hasBegun() {
        return !settled.isEmpty() || !failed.isEmpty();
    }

    boolean isSettled() {
        return settled.size() == batch.size();
    }

    boolean isInDoubt() {
        return !inDoubt.isEmpty();
    }

    /** The unsettled messages among these, without those that have failed or are in doubt, and without their followers. */
    List<OutboxMessage> sendable(List<OutboxMessage> some) {
        Set<Long> wanted = sequences(some);
        wanted.removeAll(failed.keySet());
        wanted.removeAll(inDoubt);
        return withoutGaps(wanted);
    }

    /**
     * The failed messages that a transaction can charge: their predecessors are settled, or the same transaction settles
     * them. A charge moves a message out of its partition, where an unsettled predecessor would stay behind. Of each key,
     * only the first one: a charge of a later message would overwrite the time of its retry.
     *
     * @param log the sends of that transaction
     */
    List<Failure> chargeable(SendLog log) {
        Map<Long, Failure> all = new HashMap<>(failed);
        log.failed().forEach(failure -> all.put(failure.message().sequence(), failure));
        Set<Long> wanted = sequences(log.through());
        wanted.addAll(all.keySet());
        Set<String> keys = new HashSet<>();
        return withoutGaps(wanted).stream()
                .filter(message -> all.containsKey(message.sequence()))
                .filter(message -> message.orderingKey() == null || keys.add(message.orderingKey()))
                .map(OutboxMessage::sequence)
                .filter(sequence -> !charged.contains(sequence))
                .map(all::get)
                .toList();
    }

    /** The unsettled messages among these whose unsettled predecessors in the key are among them too. */
    private List<OutboxMessage> withoutGaps(Set<Long> wanted) {
        Set<String> waiting = new HashSet<>();
        List<OutboxMessage> passed = new ArrayList<>();
        for (OutboxMessage message : batch) {
            if (settled.contains(message.sequence())) {
                continue;
            }
            if (wanted.contains(message.sequence()) && !waiting.contains(message.orderingKey())) {
                passed.add(message);
            } else if (message.orderingKey() != null) {
                waiting.add(message.orderingKey());
            }
        }
        return passed;
    }

    private static Set<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).collect(Collectors.toSet());
    }
}
