package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;

/** Collects the result of a batch while it is sent. Belongs to one transaction. */
final class SendResultBuilder {
    /** So many that failed are charged because one got through after them; more look like a destination that comes and goes. */
    private static final int MAX_CHARGED = 8;

    /**
     * So many that found no room, whether one got through between them or not, and only smaller ones are tried: those may be too
     * large for the room that is left. After so many more the batch ends: the destination is full.
     */
    static final int MAX_REJECTED = 8;

    private final List<OutboxMessage> sent = new ArrayList<>();
    private final Map<Long, String> brokerIds = new HashMap<>();
    private final List<OutboxMessage> expired = new ArrayList<>();
    private final List<SendResult.Failure> failures = new ArrayList<>();
    private final List<SendResult.Failure> unproven = new ArrayList<>();
    private final Set<String> blockedKeys = new HashSet<>();
    private final List<OutboxMessage> rejected = new ArrayList<>();
    private PublishException lastRejection;
    private int smallest = Integer.MAX_VALUE;
    private boolean outcomeUnknown;
    private boolean ended;
    private OutboxMessage next;

    boolean isEmpty() {
        return sent.isEmpty();
    }

    /** The batch ends, and does not come to this message. */
    void endBefore(OutboxMessage message) {
        ended = true;
        leaveForNextBatch(message);
    }

    private void leaveForNextBatch(OutboxMessage message) {
        next = next == null ? message : next;
    }

    boolean isEnded() {
        return ended;
    }

    /** What comes before it in the order of its key failed, or it is no smaller than what found no room. */
    boolean isBlocked(OutboxMessage message) {
        if (rejected.size() >= MAX_REJECTED && message.body().bytes() >= smallest) {
            blockKey(message);
            return true;
        }
        return blockedKeys.contains(message.orderingKey());
    }

    private void blockKey(OutboxMessage message) {
        if (message.orderingKey() != null) {
            blockedKeys.add(message.orderingKey());
        }
    }

    void expired(OutboxMessage message) {
        expired.add(message);
    }

    /**
     * @param brokerId null if ids are not recorded
     */
    void sent(OutboxMessage message, String brokerId) {
        sent.add(message);
        if (brokerId != null) {
            brokerIds.put(message.sequence(), brokerId);
        }
        failures.addAll(unproven.subList(0, Math.min(MAX_CHARGED, unproven.size())));
        unproven.clear();
    }

    /** @throws PublishException if the destination is to blame */
    void failed(OutboxMessage message, PublishException cause) throws PublishException {
        switch (cause.blame()) {
            case DESTINATION -> throw cause;
            case MESSAGE -> failures.add(new SendResult.Failure(message, cause));
            case DESTINATION_FULL -> reject(message, cause);
            case UNKNOWN -> {
                outcomeUnknown = true;
                unproven.add(new SendResult.Failure(message, cause));
            }
        }
        blockKey(message);
    }

    private void reject(OutboxMessage message, PublishException cause) {
        lastRejection = cause;
        rejected.add(message);
        smallest = Math.min(smallest, message.body().bytes());
        if (rejected.size() == MAX_REJECTED) {
            leaveForNextBatch(message);
        }
        ended |= rejected.size() == 2 * MAX_REJECTED;
    }

    /**
     * At the end of the batch.
     *
     * @throws DestinationFullException if no message found room, and nothing else is to be settled
     * @throws SendOutcomeUnknownException if a message failed and the broker may have it all the same
     */
    SendResult build() throws PublishException, SendOutcomeUnknownException {
        if (!outcomeUnknown && lastRejection != null && sent.isEmpty() && failures.isEmpty() && expired.isEmpty()) {
            throw new DestinationFullException(rejected, next, lastRejection);
        }
        if (unproven.size() == 1 && !sent.isEmpty()) {
            failures.addAll(unproven);
            unproven.clear();
        }
        if (!unproven.isEmpty()) {
            next = unproven.get(0).message();
        }
        SendResult all = new SendResult(sent, expired, failures, brokerIds, next);
        if (outcomeUnknown) {
            throw new SendOutcomeUnknownException(all, unproven);
        }
        return all;
    }
}
