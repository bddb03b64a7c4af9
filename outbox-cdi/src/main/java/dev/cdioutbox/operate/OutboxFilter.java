package dev.cdioutbox.operate;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;

/**
 * Selects the messages that {@link OutboxOperations} finds or changes. Start from {@link #all()} and narrow it down: a
 * message matches if it meets all criteria that are set. Immutable and thread-safe; two filters with the same criteria
 * are equal.
 */
public final class OutboxFilter {

    /** The highest limit: the number of messages that one call finds or changes. */
    public static final int MAX_LIMIT = 1000;

    private static final int DEFAULT_LIMIT = 100;

    /** Each supported database can compare the times between these two. */
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");
    private static final OutboxFilter ALL = new OutboxFilter(Map.of(Criterion.LIMIT, DEFAULT_LIMIT));

    private final Map<Criterion, Object> criteria;

    private OutboxFilter(Map<Criterion, Object> criteria) {
        this.criteria = Collections.unmodifiableMap(new EnumMap<>(criteria));
    }

    /**
     * Any message, at most 100.
     *
     * @return the filter; never null
     */
    public static OutboxFilter all() {
        return ALL;
    }

    /**
     * Narrowed to some statuses.
     *
     * @param only the statuses; none for any; not null
     * @return the narrowed filter; never null
     * @throws IllegalArgumentException if a status is null
     */
    public OutboxFilter withStatus(OutboxStatus... only) {
        if (only == null || Arrays.asList(only).contains(null)) {
            throw new IllegalArgumentException("a status is null; for any status, give none");
        }
        return with(Criterion.STATUSES, only.length == 0 ? null : Set.copyOf(Arrays.asList(only)));
    }

    /**
     * Narrowed to an event type.
     *
     * @param only the event type, or null for any
     * @return the narrowed filter; never null
     * @throws IllegalArgumentException if no stored text can be equal: it has U+0000 or half a surrogate pair
     */
    public OutboxFilter withEventType(String only) {
        return with(Criterion.EVENT_TYPE, storable("eventType", only));
    }

    /**
     * Narrowed to a key.
     *
     * @param only the key, or null for any
     * @return the narrowed filter; never null
     * @throws IllegalArgumentException if no stored text can be equal: it has U+0000 or half a surrogate pair
     */
    public OutboxFilter withKey(String only) {
        return with(Criterion.KEY, storable("key", only));
    }

    /**
     * Narrowed to a destination.
     *
     * @param only the logical name, or null for any
     * @return the narrowed filter; never null
     * @throws IllegalArgumentException if no stored text can be equal: it has U+0000 or half a surrogate pair
     */
    public OutboxFilter withDestination(String only) {
        return with(Criterion.DESTINATION, storable("destination", only));
    }

    /**
     * Narrowed to a correlation id.
     *
     * @param only the correlation id, compared character by character, or null for any
     * @return the narrowed filter; never null
     * @throws IllegalArgumentException if no stored text can be equal: it has U+0000 or half a surrogate pair
     */
    public OutboxFilter withCorrelationId(String only) {
        return with(Criterion.CORRELATION_ID, storable("correlationId", only));
    }

    /**
     * Narrowed to a causation id, which for a message that was replayed as new is the id of its original.
     *
     * @param only the causation id, compared character by character, or null for any
     * @return the narrowed filter; never null
     * @throws IllegalArgumentException if no stored text can be equal: it has U+0000 or half a surrogate pair
     */
    public OutboxFilter withCausationId(String only) {
        return with(Criterion.CAUSATION_ID, storable("causationId", only));
    }

    /**
     * Narrowed to a tenant.
     *
     * @param only the tenant id, compared character by character, or null for any
     * @return the narrowed filter; never null
     * @throws IllegalArgumentException if no stored text can be equal: it has U+0000 or half a surrogate pair
     */
    public OutboxFilter withTenantId(String only) {
        return with(Criterion.TENANT_ID, storable("tenantId", only));
    }

    /**
     * Narrowed to a time of creation.
     *
     * @param from the earliest time, inclusive, by the database's clock; null for any
     * @param before the end, exclusive, by the database's clock; null for any
     * @return the narrowed filter; never null
     * @throws IllegalArgumentException if a time is outside of the years 1 to 9999
     */
    public OutboxFilter withCreated(Instant from, Instant before) {
        return with(Criterion.CREATED_FROM, comparable("createdFrom", from))
                .with(Criterion.CREATED_BEFORE, comparable("createdBefore", before));
    }

    /**
     * Narrowed to an error.
     *
     * @param text a part of the last error, case-sensitive; null for any
     * @return the narrowed filter; never null
     * @throws IllegalArgumentException if no stored error can contain it: it has U+0000 or half a surrogate pair
     */
    public OutboxFilter withError(String text) {
        return with(Criterion.ERROR, storable("error", text));
    }

    /**
     * The page after the one that ended with a message.
     *
     * @param sequence the lowest sequence of the page before, or null for the first page
     * @return the narrowed filter; never null
     */
    public OutboxFilter withBeforeSequence(Long sequence) {
        return with(Criterion.BEFORE_SEQUENCE, sequence);
    }

    /**
     * The batch after the one that ended with a message. Changes begin with the oldest message.
     *
     * @param sequence the highest sequence of the batch before, or null for the first batch
     * @return the narrowed filter; never null
     */
    public OutboxFilter withAfterSequence(Long sequence) {
        return with(Criterion.AFTER_SEQUENCE, sequence);
    }

    /**
     * Narrowed by the shadow mark ({@code outbox.dispatcher.shadow-destination}).
     *
     * @param only true: only messages with the mark; false: only messages without; null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withShadowed(Boolean only) {
        return with(Criterion.SHADOWED, only);
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
     * @param most the highest number of messages, from 1 to {@value #MAX_LIMIT}
     * @return the filter; never null
     * @throws IllegalArgumentException if the limit is out of range
     */
    public OutboxFilter withLimit(int most) {
        if (most < 1 || most > MAX_LIMIT) {
            throw new IllegalArgumentException("limit is " + most + "; allowed is 1 to " + MAX_LIMIT);
        }
        return with(Criterion.LIMIT, most);
    }

    /** A database refuses U+0000, and a driver turns half a surrogate pair into a question mark, which may match. */
    private static String storable(String name, String text) {
        if (text != null
                && (text.indexOf('\0') >= 0
                        || !StandardCharsets.UTF_8.newEncoder().canEncode(text))) {
            throw new IllegalArgumentException(
                    name + " has the character U+0000 or half a surrogate pair, and no stored text has these");
        }
        return text;
    }

    private static Instant comparable(String name, Instant time) {
        if (time != null && (time.isBefore(FIRST) || time.isAfter(LAST))) {
            throw new IllegalArgumentException(
                    name + " is " + time + "; allowed are the years 1 to 9999, and null for any time");
        }
        return time;
    }

    private OutboxFilter with(Criterion criterion, Object value) {
        Map<Criterion, Object> changed = new EnumMap<>(criteria);
        if (value == null) {
            changed.remove(criterion);
        } else {
            changed.put(criterion, value);
        }
        return new OutboxFilter(changed);
    }

    /**
     * The statuses of the messages.
     *
     * @return an unmodifiable set, empty for any; never null
     */
    @SuppressWarnings("unchecked")
    public Set<OutboxStatus> statuses() {
        return (Set<OutboxStatus>) criteria.getOrDefault(Criterion.STATUSES, Set.of());
    }

    /**
     * The event type of the messages.
     *
     * @return the event type, or null for any
     */
    public String eventType() {
        return text(Criterion.EVENT_TYPE);
    }

    /**
     * The key of the messages.
     *
     * @return the key, or null for any
     */
    public String key() {
        return text(Criterion.KEY);
    }

    /**
     * The destination of the messages.
     *
     * @return the logical name, or null for any
     */
    public String destination() {
        return text(Criterion.DESTINATION);
    }

    /**
     * The correlation id of the messages.
     *
     * @return the correlation id, or null for any
     */
    public String correlationId() {
        return text(Criterion.CORRELATION_ID);
    }

    /**
     * The causation id of the messages.
     *
     * @return the causation id, or null for any
     */
    public String causationId() {
        return text(Criterion.CAUSATION_ID);
    }

    /**
     * The tenant of the messages.
     *
     * @return the tenant id, or null for any
     */
    public String tenantId() {
        return text(Criterion.TENANT_ID);
    }

    /**
     * The earliest time of creation.
     *
     * @return the time by the database's clock, inclusive, or null for any
     */
    public Instant createdFrom() {
        return (Instant) criteria.get(Criterion.CREATED_FROM);
    }

    /**
     * The end of the time of creation.
     *
     * @return the time by the database's clock, exclusive, or null for any
     */
    public Instant createdBefore() {
        return (Instant) criteria.get(Criterion.CREATED_BEFORE);
    }

    /**
     * A part of the last error of the messages.
     *
     * @return the text, or null for any
     */
    public String error() {
        return text(Criterion.ERROR);
    }

    /**
     * The upper end of the sequences.
     *
     * @return the sequence, exclusive, or null for any
     */
    public Long beforeSequence() {
        return (Long) criteria.get(Criterion.BEFORE_SEQUENCE);
    }

    /**
     * The lower end of the sequences.
     *
     * @return the sequence, exclusive, or null for any
     */
    public Long afterSequence() {
        return (Long) criteria.get(Criterion.AFTER_SEQUENCE);
    }

    /**
     * Whether the messages have a shadow mark.
     *
     * @return true: only messages with the mark; false: only messages without; null for any
     */
    public Boolean shadowed() {
        return (Boolean) criteria.get(Criterion.SHADOWED);
    }

    /**
     * The highest number of messages.
     *
     * @return the limit, from 1 to {@value #MAX_LIMIT}
     */
    public int limit() {
        return (int) criteria.get(Criterion.LIMIT);
    }

    private String text(Criterion criterion) {
        return (String) criteria.get(criterion);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OutboxFilter filter && criteria.equals(filter.criteria);
    }

    @Override
    public int hashCode() {
        return criteria.hashCode();
    }

    /** Lists the criteria, for a log or a debugger; the form may change. */
    @Override
    public String toString() {
        return "OutboxFilter" + criteria;
    }

    /** A criterion that is not set has no entry. The limit always has one. */
    private enum Criterion {
        STATUSES,
        EVENT_TYPE,
        KEY,
        DESTINATION,
        CORRELATION_ID,
        CAUSATION_ID,
        TENANT_ID,
        CREATED_FROM,
        CREATED_BEFORE,
        ERROR,
        BEFORE_SEQUENCE,
        AFTER_SEQUENCE,
        SHADOWED,
        LIMIT
    }
}
