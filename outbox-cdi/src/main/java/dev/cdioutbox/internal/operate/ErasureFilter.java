package dev.cdioutbox.internal.operate;

import java.util.Objects;
import java.util.stream.Stream;

import dev.cdioutbox.operate.OutboxFilter;

/** Which filters may select what is erased: those that name somebody. */
public final class ErasureFilter {
    /** In the audit, which nothing erases, in the place of the values that name somebody. */
    private static final String HIDDEN = "…";

    private ErasureFilter() {}

    /** @return what is wrong with the filter; null if it may be used */
    public static String problem(OutboxFilter filter) {
        if (contents(filter).allMatch(Objects::isNull)) {
            return "An erasure needs a key, an aggregate id, a tenant, a correlation id or a causation id";
        }
        return filter.statuses().isEmpty() && filter.error() == null && filter.shadowed() == null
                ? null
                : "An erasure concerns all messages, so it takes no status, error or shadow mark";
    }

    private static Stream<String> contents(OutboxFilter filter) {
        return Stream.of(
                filter.key(), filter.aggregateId(), filter.tenantId(), filter.correlationId(), filter.causationId());
    }

    static OutboxFilter hidden(OutboxFilter filter) {
        return filter.withKey(hidden(filter.key()))
                .withAggregateId(hidden(filter.aggregateId()))
                .withTenantId(hidden(filter.tenantId()))
                .withCorrelationId(hidden(filter.correlationId()))
                .withCausationId(hidden(filter.causationId()));
    }

    private static String hidden(String value) {
        return value == null ? null : HIDDEN;
    }
}
