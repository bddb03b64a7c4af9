package dev.cdioutbox.operate;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;
import org.jspecify.annotations.Nullable;

/**
 * Says which messages {@link OutboxOperations} finds or changes. Start from {@link #all()} and narrow it down: a message
 * matches if it meets all criteria that are set; setting one again replaces it. An {@link OutboxPageRequest} says where
 * among them, and how many.
 *
 * <pre>{@code
 * OutboxFilter refused = OutboxFilter.all()
 *         .withStatus(OutboxStatus.ABANDONED)
 *         .withDestination("billing")
 *         .withError("MessageSizeExceeded");
 * }</pre>
 *
 * <p>Texts are compared character by character. Each method that takes one throws {@link IllegalArgumentException} if no
 * stored text can be equal, because it has U+0000 or half a surrogate pair. Immutable and thread-safe; two filters with
 * the same criteria are equal.
 */
public final class OutboxFilter {

    /** Each supported database can compare the times between these two. */
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");
    private static final OutboxFilter ALL = new OutboxFilter(Map.of());

    private final Map<Criterion, Object> criteria;

    private OutboxFilter(Map<Criterion, Object> criteria) {
        this.criteria = criteria;
    }

    /** {@return a filter that any message matches; never null} */
    public static OutboxFilter all() {
        return ALL;
    }

    /**
     * Narrowed to some statuses, which replace those of an earlier call.
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
     */
    public OutboxFilter withEventType(@Nullable String only) {
        return with(Criterion.EVENT_TYPE, storable("eventType", only));
    }

    /**
     * Narrowed to a key.
     *
     * @param only the key, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withKey(@Nullable String only) {
        return with(Criterion.KEY, storable("key", only));
    }

    /**
     * Narrowed to an aggregate.
     *
     * @param only the aggregate's id, which is the key of a message without another one; or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withAggregateId(@Nullable String only) {
        return with(Criterion.AGGREGATE_ID, storable("aggregateId", only));
    }

    /**
     * Narrowed to a destination.
     *
     * @param only the logical name, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withDestination(@Nullable String only) {
        return with(Criterion.DESTINATION, storable("destination", only));
    }

    /**
     * Narrowed to a correlation id.
     *
     * @param only the correlation id, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withCorrelationId(@Nullable String only) {
        return with(Criterion.CORRELATION_ID, storable("correlationId", only));
    }

    /**
     * Narrowed to a causation id, which for a message that was replayed as new is the id of its original.
     *
     * @param only the causation id, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withCausationId(@Nullable String only) {
        return with(Criterion.CAUSATION_ID, storable("causationId", only));
    }

    /**
     * Narrowed to a tenant.
     *
     * @param only the tenant id, or null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withTenantId(@Nullable String only) {
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
    public OutboxFilter withCreated(@Nullable Instant from, @Nullable Instant before) {
        return with(Criterion.CREATED_FROM, comparable("createdFrom", from))
                .with(Criterion.CREATED_BEFORE, comparable("createdBefore", before));
    }

    /**
     * Narrowed to an error.
     *
     * @param text a part of the last error, case-sensitive; null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withError(@Nullable String text) {
        return with(Criterion.ERROR, storable("error", text));
    }

    /**
     * Narrowed by the shadow mark ({@code outbox.dispatcher.shadow-destination}).
     *
     * @param only true: only messages with the mark; false: only messages without; null for any
     * @return the narrowed filter; never null
     */
    public OutboxFilter withShadowed(@Nullable Boolean only) {
        return with(Criterion.SHADOWED, only);
    }

    /** A database refuses U+0000, and a driver turns half a surrogate pair into a question mark, which may match. */
    private static @Nullable String storable(String name, @Nullable String text) {
        if (text != null
                && (text.indexOf('\0') >= 0
                        || !StandardCharsets.UTF_8.newEncoder().canEncode(text))) {
            throw new IllegalArgumentException(
                    name + " has the character U+0000 or half a surrogate pair, and no stored text has these");
        }
        return text;
    }

    private static @Nullable Instant comparable(String name, @Nullable Instant time) {
        if (time != null && (time.isBefore(FIRST) || time.isAfter(LAST))) {
            throw new IllegalArgumentException(
                    name + " is " + time + "; allowed are the years 1 to 9999, and null for any time");
        }
        return time;
    }

    private OutboxFilter with(Criterion criterion, @Nullable Object value) {
        Map<Criterion, Object> changed = new EnumMap<>(Criterion.class);
        changed.putAll(criteria);
        changed.put(criterion, value);
        changed.values().removeIf(Objects::isNull);
        return new OutboxFilter(Collections.unmodifiableMap(changed));
    }

    /** {@return the statuses: an unmodifiable set, empty for any; never null} */
    @SuppressWarnings("unchecked")
    public Set<OutboxStatus> statuses() {
        return (Set<OutboxStatus>) criteria.getOrDefault(Criterion.STATUSES, Set.of());
    }

    /** {@return the event type, or null for any} */
    public @Nullable String eventType() {
        return text(Criterion.EVENT_TYPE);
    }

    /** {@return the key, or null for any} */
    public @Nullable String key() {
        return text(Criterion.KEY);
    }

    /** {@return the aggregate's id, or null for any} */
    public @Nullable String aggregateId() {
        return text(Criterion.AGGREGATE_ID);
    }

    /** {@return the logical name of the destination, or null for any} */
    public @Nullable String destination() {
        return text(Criterion.DESTINATION);
    }

    /** {@return the correlation id, or null for any} */
    public @Nullable String correlationId() {
        return text(Criterion.CORRELATION_ID);
    }

    /** {@return the causation id, or null for any} */
    public @Nullable String causationId() {
        return text(Criterion.CAUSATION_ID);
    }

    /** {@return the tenant id, or null for any} */
    public @Nullable String tenantId() {
        return text(Criterion.TENANT_ID);
    }

    /** {@return the earliest time of creation, inclusive, or null for any} */
    public @Nullable Instant createdFrom() {
        return (Instant) criteria.get(Criterion.CREATED_FROM);
    }

    /** {@return the end of the time of creation, exclusive, or null for any} */
    public @Nullable Instant createdBefore() {
        return (Instant) criteria.get(Criterion.CREATED_BEFORE);
    }

    /** {@return the part of the last error, or null for any} */
    public @Nullable String error() {
        return text(Criterion.ERROR);
    }

    /** {@return true for messages with a shadow mark, false for those without, null for any} */
    public @Nullable Boolean shadowed() {
        return (Boolean) criteria.get(Criterion.SHADOWED);
    }

    private @Nullable String text(Criterion criterion) {
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

    /** A criterion that is not set has no entry. */
    private enum Criterion {
        STATUSES,
        EVENT_TYPE,
        KEY,
        AGGREGATE_ID,
        DESTINATION,
        CORRELATION_ID,
        CAUSATION_ID,
        TENANT_ID,
        CREATED_FROM,
        CREATED_BEFORE,
        ERROR,
        SHADOWED
    }
}
