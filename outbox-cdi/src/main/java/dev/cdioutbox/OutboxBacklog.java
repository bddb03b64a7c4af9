package dev.cdioutbox;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What waits in the outbox. Counts stop at {@value #CAP}, so that asking costs the same with ten messages as with ten
 * million. Pending and failed ones are counted together: if their sum is {@value #CAP}, there are that many or more, and
 * how they divide is true for those that were counted only.
 *
 * @param pending messages never tried or not charged yet
 * @param failed messages with a charged attempt that will be tried again
 * @param abandoned messages that wait for an operator
 * @param oldest since when the oldest pending or failed message could have been sent, by the database's clock: since it was
 *     stored, its time had come, or an operator put it back by retry or replay; null if there is none. Who waits for its time is
 *     not late: one without a key that failed does not count while its delay lasts
 * @param paused the destinations to which nothing is sent because an operator paused them; {@link OutboxOperations#ALL} is all of them; not
 *     null
 * @param readAt when this was read, by the database's clock; not null
 * @param oldestOf the oldest of each destination that has one, by the same rules; not null
 * @param inDoubt messages whose commit did not end, so that their keys wait for the transaction manager, or for an
 *     operator if its log is lost; as the dispatcher of this process saw that at most 5 s before; null if this
 *     process does not dispatch
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

    /** Where counting stops. */
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
     * The same with the number of messages in doubt.
     *
     * @param messages as the dispatcher of this process knows it
     * @return a copy
     */
    public OutboxBacklog withInDoubt(int messages) {
        return new OutboxBacklog(pending, failed, abandoned, oldest, paused, readAt, oldestOf, messages);
    }

    /**
     * Whether nothing is sent to a destination because an operator paused it, or all.
     *
     * @param destination its logical name; not null
     * @return true if it is paused
     */
    public boolean isPaused(String destination) {
        return paused.contains(destination) || paused.contains(OutboxOperations.ALL);
    }

    /**
     * Since when the oldest message could have been sent that still has to be.
     *
     * @return the time by the database's clock, or empty if nothing waits
     */
    public Optional<Instant> oldestPending() {
        return Optional.ofNullable(oldest);
    }
}
