package dev.cdioutbox.internal.dispatch.crash;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.Followers;

/**
 * A batch of which messages may crash their process. Says how each message is sent; a pure function of its components:
 *
 * <pre>
 * the message                                                     is sent
 * -------------------------------------------------------------   ------------------------------------------------
 * has {@code most} unfinished sends: it is <i>crashing</i>        no more
 * has fewer unfinished sends, or is as old as the last crash:
 *   it is a <i>suspect</i>                                        alone
 * comes before a suspect of its key                               alone, before it
 * follows a crashing message of its key                           by a later claim
 * is none of these                                                in a batch, if no message is to be sent alone
 * </pre>
 *
 * @param messages of each key in order and without a gap
 * @param unfinishedSends the sends that were begun and did not end, by sequence; without the zeros
 * @param most how many of them make a message a crashing one
 * @param lastCrash only a message that was stored until then can have been in flight at a crash; {@link Instant#MIN} to suspect
 *     none for its age
 */
record SuspectBatch(List<OutboxMessage> messages, Map<Long, Integer> unfinishedSends, int most, Instant lastCrash) {

    /** The messages that no process may send any more. */
    List<OutboxMessage> crashing() {
        return messages.stream().filter(this::isCrashing).toList();
    }

    /**
     * The first of them that can be charged now. One that follows another message of its key waits for the claim that begins
     * with it.
     */
    Optional<OutboxMessage> firstCrashing() {
        Followers followers = new Followers();
        for (OutboxMessage message : messages) {
            if (isCrashing(message) && !followers.mustWait(message.orderingKey())) {
                return Optional.of(message);
            }
            followers.waitFor(message.orderingKey());
        }
        return Optional.empty();
    }

    /**
     * The messages to send alone, in order.
     *
     * @param sendable those of the batch that can be sent now
     */
    List<OutboxMessage> alone(List<OutboxMessage> sendable) {
        Map<String, Long> lastSuspects = new HashMap<>();
        sendable.stream()
                .filter(message -> message.orderingKey() != null && isSuspect(message))
                .forEach(message -> lastSuspects.put(message.orderingKey(), message.sequence()));
        Followers ofCrashing = new Followers();
        List<OutboxMessage> alone = new ArrayList<>();
        for (OutboxMessage message : sendable) {
            String key = message.orderingKey();
            if (isCrashing(message) || ofCrashing.mustWait(key)) {
                ofCrashing.waitFor(key);
            } else if (isSuspect(message) || message.sequence() < lastSuspects.getOrDefault(key, Long.MIN_VALUE)) {
                alone.add(message);
            }
        }
        return alone;
    }

    private boolean isCrashing(OutboxMessage message) {
        return unfinishedSends.getOrDefault(message.sequence(), 0) >= most;
    }

    private boolean isSuspect(OutboxMessage message) {
        return unfinishedSends.containsKey(message.sequence())
                || !message.createdAt().isAfter(lastCrash);
    }
}
