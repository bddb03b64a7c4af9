package dev.cdioutbox.internal.store.operate;

import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.StatusCode;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;

/**
 * The conditions of an operator's query on messages, their parameters, the table that the query begins with, and its time
 * limit. Belongs to one query.
 */
public final class QueryConditions {
    private static final Set<OutboxStatus> WAITING =
            EnumSet.of(OutboxStatus.PENDING, OutboxStatus.FAILED, OutboxStatus.ABANDONED);

    /** In seconds; less than the default transaction timeout, so that the caller gets the error. */
    static final int TIMEOUT_SECONDS = 60;

    private final Dialect dialect;
    private final boolean isByQueue;
    private final StringBuilder text = new StringBuilder("m.application = :application");
    private final Map<String, Object> parameters = new LinkedHashMap<>();

    private QueryConditions(Dialect dialect, String application, boolean isByQueue) {
        this.dialect = dialect;
        this.isByQueue = isByQueue;
        parameters.put("application", application);
    }

    /** For a query on the primary key. */
    public static QueryConditions byKey(Dialect dialect, String application) {
        return new QueryConditions(dialect, application, false);
    }

    /** For a query on the queue, which holds the waiting messages only. */
    static QueryConditions byQueue(Dialect dialect, String application) {
        return new QueryConditions(dialect, application, true);
    }

    /** Whether the filter matches waiting messages only. */
    static boolean isWaiting(OutboxFilter filter) {
        return !filter.statuses().isEmpty() && WAITING.containsAll(filter.statuses());
    }

    public QueryConditions matching(OutboxFilter filter, OutboxPageRequest range) {
        equal(MessageColumn.EVENT_TYPE, filter.eventType());
        equal(MessageColumn.MESSAGE_KEY, filter.key());
        add("aggregate", "COALESCE(m.aggregate_id, m.message_key) = :aggregate", filter.aggregateId());
        equal(MessageColumn.DESTINATION, filter.destination());
        equal(MessageColumn.CORRELATION_ID, filter.correlationId());
        equal(MessageColumn.CAUSATION_ID, filter.causationId());
        equal(MessageColumn.TENANT_ID, filter.tenantId());
        add("from", "m.created_at >= " + dialect.timeParameter(":from"), filter.createdFrom());
        add("until", "m.created_at < " + dialect.timeParameter(":until"), filter.createdBefore());
        add("before", sequence() + " < :before", range.before());
        add("after", sequence() + " > :after", range.after());
        if (filter.shadowed() != null && isByQueue) {
            // A waiting message has no delivery.
            text.append(filter.shadowed() ? " AND 1 = 0" : "");
        } else if (filter.shadowed() != null) {
            text.append(" AND d.shadow_destination IS ").append(filter.shadowed() ? "NOT NULL" : "NULL");
        }
        if (filter.error() != null) {
            add(
                    "error",
                    expression(MessageColumn.LAST_ERROR) + " LIKE :error ESCAPE '!'",
                    "%" + filter.error().replaceAll("[!%_]", "!$0") + "%");
        }
        return filter.statuses().isEmpty() ? this : statuses(filter.statuses());
    }

    QueryConditions statuses(Set<OutboxStatus> statuses) {
        return in(
                MessageColumn.STATUS,
                statuses.stream().map(StatusCode::of).sorted().toList());
    }

    QueryConditions equal(MessageColumn column, String value) {
        return add(column.column(), expression(column) + " = :" + column.column(), value);
    }

    QueryConditions in(MessageColumn column, Collection<?> values) {
        // A filter and an operation may both have statuses.
        String name = column.column() + "_" + parameters.size();
        text.append(" AND %s IN (:%s)".formatted(expression(column), name));
        parameters.put(name, values);
        return this;
    }

    private String expression(MessageColumn column) {
        return isByQueue ? column.expressionOfWaiting() : column.expression();
    }

    private QueryConditions add(String name, String condition, Object value) {
        if (value != null) {
            text.append(" AND ").append(condition);
            parameters.put(name, stored(value));
        }
        return this;
    }

    private Object stored(Object value) {
        if (value instanceof Instant time) {
            return dialect.timeValue(time);
        }
        return value instanceof String text ? dialect.encodeText(text) : value;
    }

    boolean isByQueue() {
        return isByQueue;
    }

    /** The sequence in conditions and orders. */
    String sequence() {
        return isByQueue ? "q.seq" : "m.seq";
    }

    /** By their names, in their order. */
    public Map<String, Object> parameters() {
        return parameters;
    }

    /** The statement with its limit. */
    JdbcStatement statement(Connection connection, String statement, int limit) {
        return JdbcStatement.of(connection, statement)
                .setAll(parameters)
                .set("limit", limit)
                .within(TIMEOUT_SECONDS);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
