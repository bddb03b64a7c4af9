package dev.cdioutbox;

import java.util.Set;

/**
 * Which messages {@link OutboxOperations#find} returns. Immutable; start from {@link #all()} and narrow it down.
 *
 * @param statuses only these; empty for any; not null
 * @param eventType only this event type, or null for any
 * @param key only this key, or null for any
 * @param destination only this logical destination, or null for any
 * @param limit how many at most, from 1 to {@value #MAX_LIMIT}
 */
public record OutboxFilter(Set<OutboxStatus> statuses, String eventType, String key, String destination, int limit) {

    /** The most that one call returns. */
    public static final int MAX_LIMIT = 1000;

    /** Keeps an unmodifiable copy of the statuses and refuses a limit out of range. */
    public OutboxFilter {
        statuses = Set.copyOf(statuses);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit is " + limit + "; allowed is 1 to " + MAX_LIMIT);
        }
    }

    /**
     * Any message, at most 100.
     *
     * @return the filter; never null
     */
    public static OutboxFilter all() {
        return new OutboxFilter(Set.of(), null, null, null, 100);
    }

    /**
     * Narrowed to some statuses.
     *
     * @param only the statuses; none for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withStatus(OutboxStatus... only) {
        return new OutboxFilter(Set.of(only), eventType, key, destination, limit);
    }

    /**
     * Narrowed to an event type.
     *
     * @param only the event type, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withEventType(String only) {
        return new OutboxFilter(statuses, only, key, destination, limit);
    }

    /**
     * Narrowed to a key.
     *
     * @param only the key, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withKey(String only) {
        return new OutboxFilter(statuses, eventType, only, destination, limit);
    }

    /**
     * Narrowed to a destination.
     *
     * @param only the logical name, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withDestination(String only) {
        return new OutboxFilter(statuses, eventType, key, only, limit);
    }

    /**
     * With another limit.
     *
     * @param most how many at most, from 1 to {@value #MAX_LIMIT}
     * @return the filter; never null
     */
    public OutboxFilter withLimit(int most) {
        return new OutboxFilter(statuses, eventType, key, destination, most);
    }
}
