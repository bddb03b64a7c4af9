package dev.cdioutbox;

import java.time.Instant;
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
 * @param oldest when the oldest pending or failed message was stored, by the database's clock; null if there is none. Who waits
 *     for its time is not late: such a message counts from then on. One without a key that failed does not count while its delay
 *     lasts
 * @param paused the destinations to which nothing is sent because an operator paused them; {@value #ALL} is all of them; not
 *     null
 * @param readAt when this was read, by the database's clock; not null
 */
public record OutboxBacklog(
        int pending, int failed, int abandoned, Instant oldest, Set<String> paused, Instant readAt) {

    /** Stands for every destination. */
    public static final String ALL = "*";

    /** Where counting stops. */
    public static final int CAP = 10_000;

    /** Keeps an unmodifiable copy. */
    public OutboxBacklog {
        paused = Set.copyOf(paused);
    }

    /**
     * When the oldest message that still has to be sent was stored.
     *
     * @return the time by the database's clock, or empty if nothing waits
     */
    public Optional<Instant> oldestPending() {
        return Optional.ofNullable(oldest);
    }
}
