package dev.cdioutbox.internal.dispatch.delivery;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery.Failure;
import dev.cdioutbox.internal.dispatch.delivery.SendTransaction.Outcome;

/**
 * What has become of the messages of a batch so far. Tells which of the others may be sent or charged, so that no message
 * overtakes an earlier one of its key.
 */
final class BatchProgress {
    private final List<OutboxMessage> batch;
    private final Set<Long> settled = new HashSet<>();
    private final Set<Long> expired = new HashSet<>();
    private final Set<Long> inDoubt = new HashSet<>();
    private final Map<Long, Failure> failed = new HashMap<>();
    /** The failed messages whose followers may be sent, and those of them that were given up together with such a send. */
    private final Set<Long> passed = new HashSet<>();

    private final Set<Long> skipped = new HashSet<>();

    /** @param batch the messages; each key in order and without a gap */
    BatchProgress(List<OutboxMessage> batch) {
        this.batch = batch;
    }

    void add(Outcome outcome) {
        outcome.log().failed().forEach(this::blame);
        expired.addAll(sequences(outcome.log().expired()));
        Set<Long> sent = sequences(outcome.log().sent());
        switch (outcome.end()) {
            case SENT, FULL -> settled.addAll(sent);
            case COMMIT_IN_DOUBT, COMMIT_UNKNOWN -> inDoubt.addAll(sent);
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

    boolean hasFailures() {
        return !failed.isEmpty();
    }

    /** From now on, the followers of a failed message may be sent. */
    void pass(Failure failure) {
        passed.add(failure.message().sequence());
    }

    /** Failed messages are given up by the transaction that delivers one of their followers, however it has ended. */
    void skip(List<Failure> failures, Outcome together) {
        Set<Long> sequences = together.log().sent().isEmpty()
                ? Set.of()
                : sequences(failures.stream().map(Failure::message).toList());
        switch (together.end()) {
            case SENT -> skipped.addAll(sequences);
            case COMMIT_IN_DOUBT, COMMIT_UNKNOWN -> inDoubt.addAll(sequences);
            default -> {}
        }
    }

    /** The failed messages of a key whose followers may be sent. */
    List<Failure> passed(String key) {
        return chargeable().stream()
                .filter(failure -> key.equals(failure.message().orderingKey()))
                .filter(failure -> passed.contains(failure.message().sequence()))
                .toList();
    }

    /** Whether at least one message is settled, expired or blamed. The next claim then reads a different batch. */
    boolean hasBegun() {
        return !settled.isEmpty() || !expired.isEmpty() || !failed.isEmpty();
    }

    boolean isSettled() {
        return skipped.isEmpty() && batch.stream().allMatch(this::isOver);
    }

    boolean isInDoubt() {
        return !inDoubt.isEmpty();
    }

    /** Whether the followers of a message do not wait for it any more. */
    private boolean isOver(OutboxMessage message) {
        return settled.contains(message.sequence())
                || expired.contains(message.sequence())
                || skipped.contains(message.sequence());
    }

    /** These messages without those that are over, have failed or are in doubt, and without the followers of these two. */
    List<OutboxMessage> sendable(List<OutboxMessage> some) {
        Set<Long> wanted = sequences(some);
        wanted.removeAll(failed.keySet());
        wanted.removeAll(inDoubt);
        Set<String> waiting = new HashSet<>();
        List<OutboxMessage> sendable = new ArrayList<>();
        for (OutboxMessage message : batch) {
            if (isOver(message)) {
                continue;
            }
            if (wanted.contains(message.sequence()) && !waiting.contains(message.orderingKey())) {
                sendable.add(message);
            } else if (message.orderingKey() != null && !passed.contains(message.sequence())) {
                waiting.add(message.orderingKey());
            }
        }
        return sendable;
    }

    /** The expired messages. They are never sent, so they do not wait for earlier ones of their keys. */
    List<OutboxMessage> expired() {
        return batch.stream()
                .filter(message -> expired.contains(message.sequence()))
                .toList();
    }

    /**
     * The failed messages that can be charged: of each key, the first that is neither over nor passed, if it has failed, and
     * those that are passed. A charge moves a message out of its partition, where an earlier one would stay behind; and the
     * charge of a later message would overwrite the time of the retry.
     */
    List<Failure> chargeable() {
        Set<String> waiting = new HashSet<>();
        return batch.stream()
                .filter(message -> !isOver(message))
                .filter(message -> message.orderingKey() == null
                        || !waiting.contains(message.orderingKey())
                                && (passed.contains(message.sequence()) || waiting.add(message.orderingKey())))
                .filter(message -> !inDoubt.contains(message.sequence()))
                .map(message -> failed.get(message.sequence()))
                .filter(Objects::nonNull)
                .toList();
    }

    private static Set<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).collect(Collectors.toSet());
    }
}
