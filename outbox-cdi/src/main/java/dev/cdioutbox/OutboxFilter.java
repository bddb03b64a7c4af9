package dev.cdioutbox;

import java.time.Instant;
import java.util.Set;

/**
 * Which messages {@link OutboxOperations} finds or changes. Immutable; start from {@link #all()} and narrow it down.
 *
 * @param statuses only these; empty for any; not null
 * @param eventType only this event type, or null for any
 * @param key only this key, or null for any
 * @param destination only this logical destination, or null for any
 * @param createdFrom only those written then or later, by the database's clock; null for any
 * @param createdBefore only those written earlier, by the database's clock; null for any
 * @param error only those whose last error contains this text, in this case; null for any
 * @param beforeSequence only those with a lower sequence: the next page begins where the last one ended; null for any
 * @param afterSequence only those with a higher sequence; null for any
 * @param shadowed true: only those settled with a shadow mark ({@code outbox.dispatcher.shadow-destination}); false: only
 *     those without; null for any
 * @param limit how many at most, from 1 to {@value #MAX_LIMIT}
 */
public record OutboxFilter(
        Set<OutboxStatus> statuses,
        String eventType,
        String key,
        String destination,
        Instant createdFrom,
        Instant createdBefore,
        String error,
        Long beforeSequence,
        Long afterSequence,
        Boolean shadowed,
        int limit) {

    /** The most that one call finds or changes. */
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
        return new OutboxFilter(Set.of(), null, null, null, null, null, null, null, null, null, 100);
    }

    /**
     * Narrowed to some statuses.
     *
     * @param only the statuses; none for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withStatus(OutboxStatus... only) {
        return new OutboxFilter(
                Set.of(only),
                eventType,
                key,
                destination,
                createdFrom,
                createdBefore,
                error,
                beforeSequence,
                afterSequence,
                shadowed,
                limit);
    }

    /**
     * Narrowed to an event type.
     *
     * @param only the event type, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withEventType(String only) {
        return new OutboxFilter(
                statuses,
                only,
                key,
                destination,
                createdFrom,
                createdBefore,
                error,
                beforeSequence,
                afterSequence,
                shadowed,
                limit);
    }

    /**
     * Narrowed to a key.
     *
     * @param only the key, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withKey(String only) {
        return new OutboxFilter(
                statuses,
                eventType,
                only,
                destination,
                createdFrom,
                createdBefore,
                error,
                beforeSequence,
                afterSequence,
                shadowed,
                limit);
    }

    /**
     * Narrowed to a destination.
     *
     * @param only the logical name, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withDestination(String only) {
        return new OutboxFilter(
                statuses,
                eventType,
                key,
                only,
                createdFrom,
                createdBefore,
                error,
                beforeSequence,
                afterSequence,
                shadowed,
                limit);
    }

    /**
     * Narrowed to a time.
     *
     * @param from written then or later, by the database's clock; null for any
     * @param before written earlier; null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withCreated(Instant from, Instant before) {
        return new OutboxFilter(
                statuses,
                eventType,
                key,
                destination,
                from,
                before,
                error,
                beforeSequence,
                afterSequence,
                shadowed,
                limit);
    }

    /**
     * Narrowed to an error.
     *
     * @param text what the last error contains, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withError(String text) {
        return new OutboxFilter(
                statuses,
                eventType,
                key,
                destination,
                createdFrom,
                createdBefore,
                text,
                beforeSequence,
                afterSequence,
                shadowed,
                limit);
    }

    /**
     * The page after the one that ended with a message.
     *
     * @param sequence the lowest sequence of the page before, or null for the first page
     * @return the narrowed filter; never null
     */
    public OutboxFilter withBeforeSequence(Long sequence) {
        return new OutboxFilter(
                statuses,
                eventType,
                key,
                destination,
                createdFrom,
                createdBefore,
                error,
                sequence,
                afterSequence,
                shadowed,
                limit);
    }

    /**
     * The batch after the one that ended with a message, for changes, which begin with the oldest.
     *
     * @param sequence the highest sequence of the batch before, or null for the first batch
     * @return the narrowed filter; never null
     */
    public OutboxFilter withAfterSequence(Long sequence) {
        return new OutboxFilter(
                statuses,
                eventType,
                key,
                destination,
                createdFrom,
                createdBefore,
                error,
                beforeSequence,
                sequence,
                shadowed,
                limit);
    }

    /**
     * Narrowed by the shadow mark.
     *
     * @param only true: only those that were shadowed; false: only those that were not; null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withShadowed(Boolean only) {
        return new OutboxFilter(
                statuses,
                eventType,
                key,
                destination,
                createdFrom,
                createdBefore,
                error,
                beforeSequence,
                afterSequence,
                only,
                limit);
    }

    /**
     * Narrowed to one message.
     *
     * @param only its sequence
     * @return the narrowed filter; never null
     */
    public OutboxFilter withSequence(long only) {
        return withAfterSequence(only - 1).withBeforeSequence(only + 1);
    }

    /**
     * With another limit.
     *
     * @param most how many at most, from 1 to {@value #MAX_LIMIT}
     * @return the filter; never null
     */
    public OutboxFilter withLimit(int most) {
        return new OutboxFilter(
                statuses,
                eventType,
                key,
                destination,
                createdFrom,
                createdBefore,
                error,
                beforeSequence,
                afterSequence,
                shadowed,
                most);
    }
}
