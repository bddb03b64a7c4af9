package dev.cdioutbox.internal.dispatch.delivery;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;

/**
 * The result of one attempt to send messages. The result outlives the attempt's transaction: after a rollback it shows
 * which messages got through and which failed. One thread uses it.
 */
public final class SendResult {
    private final List<OutboxMessage> sent = new ArrayList<>();
    private final List<OutboxMessage> expired = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private final Map<Long, String> brokerIds = new HashMap<>();
    private final Set<String> blockedKeys = new HashSet<>();
    private List<OutboxMessage> untried = List.of();
    private Failure suspect;
    private PublishException destinationFull;
    private PublishException outcomeUnknown;
    private long nanos;

    List<OutboxMessage> sent() {
        return sent;
    }

    List<OutboxMessage> expired() {
        return expired;
    }

    /** The messages at fault: the send failed although the destination answered. */
    List<Failure> failures() {
        return failures;
    }

    /** The broker's message ids by sequence; empty if ids are not recorded. */
    Map<Long, String> brokerIds() {
        return brokerIds;
    }

    /** The messages that the attempt did not reach. */
    List<OutboxMessage> untried() {
        return untried;
    }

    /** A failed message after which the destination did not answer in the same transaction; null if there is none. */
    Failure suspect() {
        return suspect;
    }

    /** The reason why the destination accepted no further message; null if it was not full. */
    PublishException destinationFull() {
        return destinationFull;
    }

    /**
     * The first failure after which the broker may have the message all the same, so that the transaction must not
     * commit; null if there is none.
     */
    PublishException outcomeUnknown() {
        return outcomeUnknown;
    }

    /** The duration of the sends, in nanoseconds. */
    long nanos() {
        return nanos;
    }

    void took(long nanos) {
        this.nanos = nanos;
    }

    /** Whether an earlier message of the same key failed. */
    boolean isBlocked(OutboxMessage message) {
        return blockedKeys.contains(message.orderingKey());
    }

    /** @param brokerId null if ids are not recorded */
    void sent(OutboxMessage message, String brokerId) {
        sent.add(message);
        if (brokerId != null) {
            brokerIds.put(message.sequence(), brokerId);
        }
    }

    void expired(OutboxMessage message) {
        expired.add(message);
    }

    /** The message is at fault, and the broker has no part of it. */
    void refused(Failure failure) {
        failures.add(failure);
        if (failure.message().orderingKey() != null) {
            blockedKeys.add(failure.message().orderingKey());
        }
    }

    /**
     * The broker may have the message.
     *
     * @param answering whether the destination answers, so that the message is at fault
     */
    void outcomeUnknown(Failure failure, boolean answering) {
        outcomeUnknown = outcomeUnknown == null ? failure.cause() : outcomeUnknown;
        if (answering) {
            refused(failure);
        } else {
            suspect = failure;
        }
    }

    void destinationFull(PublishException why) {
        destinationFull = why;
    }

    /** @param rest the messages that the attempt does not reach */
    void endBefore(List<OutboxMessage> rest) {
        untried = List.copyOf(rest);
    }

    /** A failed message with the cause. */
    public record Failure(OutboxMessage message, PublishException cause) {}
}
