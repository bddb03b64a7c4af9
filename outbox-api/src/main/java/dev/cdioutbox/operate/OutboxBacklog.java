package dev.cdioutbox.operate;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The state of the backlog at one moment. Counts stop at {@value #CAP}, so that the query costs the same with ten
 * thousand messages as with ten million. One count covers pending and failed messages. If their sum is {@value #CAP},
 * there may be more, and the two numbers divide the counted messages only. If {@link #abandoned} is {@value #CAP}, the other
 * two may be too low as well, since the messages of a blocked key are counted together. Immutable.
 *
 * <pre>{@code
 * OutboxBacklog now = outbox.status();
 * Duration age = now.oldest() == null ? Duration.ZERO : Duration.between(now.oldest(), now.readAt());
 * }</pre>
 */
public interface OutboxBacklog {

    /** The highest count, in messages: counting stops here. */
    int CAP = 10_000;

    /** {@return the number of messages without a charged attempt} */
    int pending();

    /** {@return the number of messages with a charged attempt and a scheduled retry} */
    int failed();

    /** {@return the number of messages that wait for an operator} */
    int abandoned();

    /**
     * The earliest time since which a pending or failed message has been due: from its insert, from the end of its delay,
     * or from an operator's retry or replay. A failed message without a key is not due before its retry.
     *
     * @return the time by the database's clock, or null if no message is due
     */
    @Nullable
    Instant oldest();

    /** {@return the same as {@link #oldest} for each destination with a due message; not null, unmodifiable} */
    Map<String, Instant> oldestOf();

    /**
     * {@return the destinations that an operator paused; {@link OutboxOperations#ALL} means all of them; not null,
     * unmodifiable}
     */
    Set<String> paused();

    /** {@return the time of the query, by the database's clock; not null} */
    Instant readAt();

    /**
     * The messages whose commit is in doubt. Their keys wait for the transaction manager's recovery, or for an operator if
     * its log is lost.
     *
     * @return the number that this process's dispatcher saw at most 10 s before; null if the process does not dispatch
     */
    @Nullable
    Integer inDoubt();

    /**
     * Whether an operator paused this destination or all of them.
     *
     * @param destination its logical name; not null
     * @return true if it is paused
     */
    default boolean isPaused(String destination) {
        return paused().contains(destination) || paused().contains(OutboxOperations.ALL);
    }
}
