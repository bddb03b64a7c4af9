package dev.cdioutbox.internal.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;

/** The conditions of a query on messages, and their parameters. Belongs to one query. */
final class QueryConditions {
    private static final Set<OutboxStatus> WAITING =
            EnumSet.of(OutboxStatus.PENDING, OutboxStatus.FAILED, OutboxStatus.ABANDONED);

    private final Dialect dialect;
    private final StringBuilder text = new StringBuilder("application = ?");
    private final List<Object> parameters = new ArrayList<>();
    private String sequence = "seq";

    QueryConditions(Dialect dialect, String application) {
        this.dialect = dialect;
        parameters.add(application);
    }

    /**
     * For a query by the index of the queues: keeps conditions on the sequence from attracting the optimizer to the
     * primary key.
     */
    QueryConditions usingQueueIndex() {
        sequence = MessageFinderStatements.UNINDEXED_SEQ;
        return this;
    }

    QueryConditions matchingWithQueues(OutboxFilter filter) {
        matching(filter);
        if (!filter.statuses().isEmpty()) {
            queued(filter.statuses());
        }
        return this;
    }

    /** Without a condition on the queue. */
    QueryConditions matching(OutboxFilter filter) {
        equal("event_type", filter.eventType());
        equal("message_key", filter.key());
        equal("destination", filter.destination());
        add(" AND created_at >= " + dialect.timeParameter(), filter.createdFrom());
        add(" AND created_at < " + dialect.timeParameter(), filter.createdBefore());
        add(" AND " + sequence + " < ?", filter.beforeSequence());
        if (filter.shadowed() != null) {
            text.append(" AND shadow_destination IS ").append(filter.shadowed() ? "NOT NULL" : "NULL");
        }
        add(" AND " + sequence + " > ?", filter.afterSequence());
        if (filter.error() != null) {
            add(" AND last_error LIKE ? ESCAPE '!'", "%" + filter.error().replaceAll("[!%_]", "!$0") + "%");
        }
        if (!filter.statuses().isEmpty()) {
            in("status", filter.statuses().stream().map(OutboxStatus::name).toList());
        }
        return this;
    }

    void statuses(Set<OutboxStatus> statuses) {
        in("status", statuses.stream().map(OutboxStatus::name).toList());
        queued(statuses);
    }

    /** Whether the filter matches messages in queues only. */
    static boolean isWaiting(OutboxFilter filter) {
        return !filter.statuses().isEmpty() && WAITING.containsAll(filter.statuses());
    }

    /** Waiting messages are found by the index of the queues, which has no published ones. */
    private void queued(Set<OutboxStatus> statuses) {
        if (WAITING.containsAll(statuses)) {
            text.append(" AND queue_id BETWEEN -2147483647 AND 9223372036854775807");
        }
    }

    QueryConditions equal(String column, String value) {
        add(" AND " + column + " = ?", value);
        return this;
    }

    void in(String column, List<?> values) {
        text.append(" AND ")
                .append(column)
                .append(" IN (")
                .append("?, ".repeat(values.size() - 1))
                .append("?)");
        parameters.addAll(values);
    }

    /** With this sequence or a higher one. */
    QueryConditions from(long sequence) {
        add(" AND seq >= ?", sequence);
        return this;
    }

    private void add(String condition, Object value) {
        if (value != null) {
            text.append(condition);
            parameters.add(value);
        }
    }

    List<Object> parameters() {
        return List.copyOf(parameters);
    }

    /**
     * Sets the parameters, which are the first of the statement.
     *
     * @return the number of the next parameter
     */
    int bind(PreparedStatement statement) throws SQLException {
        int parameter = 0;
        for (Object value : parameters) {
            if (value instanceof Instant time) {
                dialect.setTime(statement, ++parameter, time);
            } else {
                statement.setObject(++parameter, value instanceof String text ? dialect.encodeText(text) : value);
            }
        }
        return parameter + 1;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
