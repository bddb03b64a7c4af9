package dev.cdioutbox.operate;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of the backlog at one moment. Counts stop at {@value #CAP}, so that the query costs the same with ten
 * thousand messages as with ten million. One count covers pending and failed messages. If their sum is {@value #CAP},
 * there may be more, and the two numbers divide the counted messages only. Immutable.
 *
 * @param pending messages without a charged attempt
 * @param failed messages with a charged attempt and a scheduled retry
 * @param abandoned messages that wait for an operator
 * @param oldest the earliest time since which a pending or failed message has been due, by the database's clock; null
 *     if none is due. A message is due from its insert, from the end of its delay, or from an operator's retry or
 *     replay. A failed message without a key is not due before its retry
 * @param paused the destinations that an operator paused; {@link OutboxOperations#ALL} means all of them; not null
 * @param readAt the time of the query, by the database's clock; not null
 * @param oldestOf the same as {@code oldest} for each destination with a due message; not null
 * @param inDoubt messages whose commit is in doubt, as this process's dispatcher saw them at most 10 s before; null if
 *     the process does not dispatch. Their keys wait for the transaction manager's recovery, or for an operator if its
 *     log is lost
 */
public record OutboxBacklog(
        int pending,
        int failed,
        int abandoned,
        Instant oldest,
        Set<String> paused,
        Instant readAt,
        Map<String, Instant> oldestOf,
        Integer inDoubt) {

    /** The highest count, in messages: counting stops here. */
    public static final int CAP = 10_000;

    /** The state of the table, without the dispatcher's knowledge of messages in doubt. */
    public OutboxBacklog(
            int pending,
            int failed,
            int abandoned,
            Instant oldest,
            Set<String> paused,
            Instant readAt,
            Map<String, Instant> oldestOf) {
        this(pending, failed, abandoned, oldest, paused, readAt, oldestOf, null);
    }

    /** Keeps unmodifiable copies. */
    public OutboxBacklog {
        paused = Set.copyOf(paused);
        oldestOf = Map.copyOf(oldestOf);
    }

    /**
     * A copy with the number of messages in doubt.
     *
     * @param messages the number that the dispatcher of this process knows
     * @return a copy
     */
    public OutboxBacklog withInDoubt(int messages) {
        return new OutboxBacklog(pending, failed, abandoned, oldest, paused, readAt, oldestOf, messages);
    }

    /**
     * Whether an operator paused this destination or all of them.
     *
     * @param destination its logical name; not null
     * @return true if it is paused
     */
    public boolean isPaused(String destination) {
        return paused.contains(destination) || paused.contains(OutboxOperations.ALL);
    }

    /**
     * The time since which the oldest unsent message has been due.
     *
     * @return the time by the database's clock, or empty if no message is due
     */
    public Optional<Instant> oldestPending() {
        return Optional.ofNullable(oldest);
    }
}
