package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;

/**
 * The conditions of an operator's query on messages, their parameters, the index that the query uses, and its time
 * limit. Belongs to one query.
 */
public final class QueryConditions {
    private static final Set<OutboxStatus> WAITING =
            EnumSet.of(OutboxStatus.PENDING, OutboxStatus.FAILED, OutboxStatus.ABANDONED);

    /** In seconds; less than the default transaction timeout, so that the caller gets the error. */
    private static final int TIMEOUT_SECONDS = 60;

    private final Dialect dialect;
    private final boolean isByQueue;
    private final StringBuilder text = new StringBuilder("application = ?");
    private final List<Object> parameters = new ArrayList<>();

    private QueryConditions(Dialect dialect, String application, boolean isByQueue) {
        this.dialect = dialect;
        this.isByQueue = isByQueue;
        parameters.add(application);
    }

    /** For a query on the primary key. */
    public static QueryConditions byKey(Dialect dialect, String application, OutboxFilter filter) {
        return new QueryConditions(dialect, application, false).matching(filter);
    }

    /** For a query on the index of the queues, which holds the waiting messages only. */
    static QueryConditions byQueue(Dialect dialect, String application, OutboxFilter filter) {
        QueryConditions conditions = new QueryConditions(dialect, application, true).matching(filter);
        conditions.text.append(" AND ").append(QueueId.IS_IN_INDEX);
        return conditions;
    }

    /** Whether the filter matches waiting messages only. */
    static boolean isWaiting(OutboxFilter filter) {
        return !filter.statuses().isEmpty() && WAITING.containsAll(filter.statuses());
    }

    private QueryConditions matching(OutboxFilter filter) {
        equal("event_type", filter.eventType());
        equal("message_key", filter.key());
        equal("destination", filter.destination());
        equal("correlation_id", filter.correlationId());
        equal("causation_id", filter.causationId());
        equal("tenant_id", filter.tenantId());
        add("created_at >= " + dialect.timeParameter(), filter.createdFrom());
        add("created_at < " + dialect.timeParameter(), filter.createdBefore());
        add(sequence() + " < ?", filter.beforeSequence());
        add(sequence() + " > ?", filter.afterSequence());
        if (filter.shadowed() != null) {
            text.append(" AND shadow_destination IS ").append(filter.shadowed() ? "NOT NULL" : "NULL");
        }
        if (filter.error() != null) {
            add("last_error LIKE ? ESCAPE '!'", "%" + filter.error().replaceAll("[!%_]", "!$0") + "%");
        }
        return filter.statuses().isEmpty() ? this : statuses(filter.statuses());
    }

    QueryConditions statuses(Set<OutboxStatus> statuses) {
        return in("status", statuses.stream().map(OutboxStatus::name).toList());
    }

    QueryConditions equal(String column, String value) {
        return add(column + " = ?", value);
    }

    QueryConditions in(String column, Collection<?> values) {
        text.append(" AND %s IN (%s)".formatted(column, JdbcStatement.placeholders(values.size())));
        parameters.addAll(values);
        return this;
    }

    private QueryConditions add(String condition, Object value) {
        if (value != null) {
            text.append(" AND ").append(condition);
            parameters.add(stored(value));
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

    /**
     * The sequence in conditions and orders. In a query on the index of the queues, an expression keeps the optimizer
     * from the primary key, which also has all published messages.
     */
    String sequence() {
        return isByQueue ? "seq + 0" : "seq";
    }

    public List<Object> parameters() {
        return List.copyOf(parameters);
    }

    /** The statement with its limit, the last parameter. */
    JdbcStatement statement(Connection connection, String statement, int limit) {
        List<Object> all = new ArrayList<>(parameters);
        all.add(limit);
        return JdbcStatement.of(connection, statement, all.toArray()).within(TIMEOUT_SECONDS);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
