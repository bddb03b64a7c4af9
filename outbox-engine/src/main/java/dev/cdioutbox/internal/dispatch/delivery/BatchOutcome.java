package dev.cdioutbox.internal.dispatch.delivery;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.Followers;

/**
 * What has become of the messages of a batch so far. Tells which of the others may be sent or charged, so that no message
 * overtakes an earlier one of its key.
 */
public final class BatchOutcome {
    private final List<OutboxMessage> batch;
    /** By sequence; without those that are open. */
    private final Map<Long, State> states = new HashMap<>();
    /** By sequence; also of messages that are held. */
    private final Map<Long, Failure> failures = new HashMap<>();

    /** What has become of a message. */
    enum State {
        /** Not sent yet, or rolled back. */
        OPEN(true),
        /** Published, or discarded by an operator. */
        SETTLED(false),
        EXPIRED(false),
        FAILED(true),
        /** Has failed, and the failure is charged. */
        CHARGED(true),
        /** Has failed with its last attempt, and is not given up yet ({@link HeldMessages}). */
        HELD(false),
        /** Was held, and given up with the delivery of a follower. */
        SKIPPED(false),
        /** Sent, and perhaps committed. */
        IN_DOUBT(true);

        private final boolean blocksFollowers;

        State(boolean blocksFollowers) {
            this.blocksFollowers = blocksFollowers;
        }

        /** Whether the later messages of its key wait for the message. */
        boolean blocksFollowers() {
            return blocksFollowers;
        }

        boolean isFailure() {
            return this == FAILED || this == HELD;
        }
    }

    /** @param batch the messages; each key in order and without a gap */
    BatchOutcome(List<OutboxMessage> batch) {
        this.batch = batch;
    }

    void add(Attempt attempt) {
        attempt.failed().forEach(this::failed);
        set(attempt.expired(), State.EXPIRED);
        switch (attempt.end()) {
            case SENT, FULL -> set(attempt.sent(), State.SETTLED);
            case COMMIT_IN_DOUBT, COMMITTED_WITHOUT_BROKER, COMMIT_UNKNOWN -> set(attempt.sent(), State.IN_DOUBT);
            case DISCARDED -> attempt.discarded().forEach(sequence -> states.put(sequence, State.SETTLED));
            default -> {}
        }
    }

    /** These messages were to be given up with a follower that was sent. */
    void addSkipped(List<Failure> held, End end) {
        List<OutboxMessage> messages = held.stream().map(Failure::message).toList();
        switch (end) {
            case SENT, FULL -> set(messages, State.SKIPPED);
            case COMMIT_IN_DOUBT, COMMITTED_WITHOUT_BROKER, COMMIT_UNKNOWN -> set(messages, State.IN_DOUBT);
            default -> {}
        }
    }

    private void set(Collection<OutboxMessage> messages, State state) {
        messages.forEach(message -> states.put(message.sequence(), state));
    }

    /** A take-over has settled these, which an earlier transaction had sent. */
    void settledByMarker(Set<Long> sequences) {
        batch.stream()
                .map(OutboxMessage::sequence)
                .filter(sequences::contains)
                .forEach(sequence -> states.put(sequence, State.SETTLED));
    }

    void failed(Failure failure) {
        failures.put(failure.message().sequence(), failure);
        states.put(failure.message().sequence(), State.FAILED);
    }

    void charged(List<Failure> some) {
        some.forEach(failure -> states.put(failure.message().sequence(), State.CHARGED));
    }

    void held(Failure failure) {
        states.put(failure.message().sequence(), State.HELD);
    }

    State of(OutboxMessage message) {
        return states.getOrDefault(message.sequence(), State.OPEN);
    }

    /** Whether something has become of a message, so that the next claim reads a different batch. */
    boolean hasBegun() {
        return !states.isEmpty();
    }

    /** Whether each message is published, expired or discarded. */
    boolean isSettled() {
        return batch.stream().allMatch(this::isSettled);
    }

    /** Whether the message is published, expired or discarded. */
    public boolean isSettled(OutboxMessage message) {
        return of(message) == State.SETTLED || of(message) == State.EXPIRED;
    }

    /** Whether nothing has become of the message yet. */
    public boolean isOpen(OutboxMessage message) {
        return of(message) == State.OPEN;
    }

    /** Whether the message was sent, and the end of the commit is not known, so that its row may be locked. */
    public boolean isInDoubt(OutboxMessage message) {
        return of(message) == State.IN_DOUBT;
    }

    /** Whether the message is open, and does not wait for an earlier one of its key. */
    public boolean isSendable(OutboxMessage message) {
        return !sendable(List.of(message)).isEmpty();
    }

    /** Those of some messages of the batch that are open, and do not wait for an earlier one of their keys. */
    List<OutboxMessage> sendable(List<OutboxMessage> some) {
        Set<Long> wanted = some.stream().map(OutboxMessage::sequence).collect(Collectors.toSet());
        Followers followers = new Followers();
        List<OutboxMessage> sendable = new ArrayList<>();
        for (OutboxMessage message : batch) {
            State state = of(message);
            if (state == State.OPEN
                    && wanted.contains(message.sequence())
                    && !followers.mustWait(message.orderingKey())) {
                sendable.add(message);
            } else if (state.blocksFollowers()) {
                followers.waitFor(message.orderingKey());
            }
        }
        return sendable;
    }

    /** The expired messages. They are never sent, so they do not wait for earlier ones of their keys. */
    List<OutboxMessage> expired() {
        return batch.stream().filter(message -> of(message) == State.EXPIRED).toList();
    }

    /**
     * The failures that can be charged: of each key, those of the messages that are held, and that of the first other message, if it
     * has failed. A message behind that one cannot: a charge moves a message out of its partition, where an earlier one would stay
     * behind, and sets the time at which its key is due.
     */
    List<Failure> chargeable() {
        Followers followers = new Followers();
        List<Failure> chargeable = new ArrayList<>();
        for (OutboxMessage message : batch) {
            State state = of(message);
            if (state.isFailure() && !followers.mustWait(message.orderingKey())) {
                chargeable.add(failures.get(message.sequence()));
            }
            if (state.blocksFollowers()) {
                followers.waitFor(message.orderingKey());
            }
        }
        return chargeable;
    }
}
