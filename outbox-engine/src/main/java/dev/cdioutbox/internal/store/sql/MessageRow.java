package dev.cdioutbox.internal.store.sql;

import static dev.cdioutbox.internal.store.sql.MessageColumn.*;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Delivery;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.StoredMessage.Terms;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * The current row of a query for messages: what such a query selects, and how a message is made of a row. A query of waiting
 * messages is on queue and messages only, and therefore finds no delivery.
 */
public record MessageRow(ResultSet row, Dialect dialect) {
    private static final Set<MessageColumn> READ =
            EnumSet.complementOf(EnumSet.of(APPLICATION, PARTITION_ID, TRANSPORT, AVAILABLE_AT));

    private static final Set<MessageColumn> READ_OF_WAITING = EnumSet.complementOf(EnumSet.of(
            APPLICATION, PARTITION_ID, TRANSPORT, AVAILABLE_AT, PUBLISHED_AT, BROKER_MESSAGE_ID, SHADOW_DESTINATION));

    /** What a query selects for {@link #message}: its columns, and the database's time as {@code read_at}. */
    public static String selected(Dialect dialect) {
        return selected(READ, MessageColumn::expression, dialect);
    }

    /** What a query selects for {@link #waiting}: the same without the columns of a delivery. */
    public static String selectedOfWaiting(Dialect dialect) {
        return selected(READ_OF_WAITING, MessageColumn::expressionOfWaiting, dialect);
    }

    private static String selected(
            Set<MessageColumn> columns, Function<MessageColumn, String> expression, Dialect dialect) {
        return columns.stream()
                        .map(column -> selected(column, expression.apply(column), dialect))
                        .collect(Collectors.joining(", "))
                + ", " + dialect.selectTime(dialect.now()) + " AS read_at";
    }

    /** Without an alias where the expression has the name of the column already, since a claim repeats the list for each queue. */
    private static String selected(MessageColumn column, String expression, Dialect dialect) {
        String selected = column.form.isTime() ? dialect.selectTime(expression) : expression;
        return selected.matches("\\w\\." + column.column) ? selected : selected + " AS " + column.column;
    }

    /** The same columns with an empty text in place of each payload. */
    public static String withoutPayloads(String selected) {
        return selected.replace("m.payload,", "'' AS payload,")
                .replace("m.payload_binary,", "CASE WHEN 1 = 0 THEN m.payload_binary END AS payload_binary,");
    }

    /**
     * The message, from a row of all three tables. Throws a RuntimeException or SQLDataException if it is unreadable.
     */
    public OutboxMessage message() throws SQLException {
        return message(time(PUBLISHED_AT), text(BROKER_MESSAGE_ID), text(SHADOW_DESTINATION));
    }

    /** The message, from a row of queue and messages. Throws the same. */
    public OutboxMessage waiting() throws SQLException {
        return message(null, null, null);
    }

    private OutboxMessage message(Instant publishedAt, String brokerId, String shadow) throws SQLException {
        return new StoredMessage(
                row.getLong(SEQ.column),
                UUID.fromString(text(MESSAGE_ID)),
                new Event(
                        text(EVENT_TYPE),
                        number(SCHEMA_VERSION),
                        text(AGGREGATE_TYPE),
                        text(MESSAGE_KEY),
                        text(AGGREGATE_ID)),
                body(),
                context(),
                terms(),
                new Delivery(
                        text(DESTINATION),
                        status(),
                        number(ATTEMPTS),
                        time(LAST_ATTEMPT_AT),
                        text(LAST_ERROR),
                        publishedAt,
                        brokerId,
                        shadow),
                time(OCCURRED_AT),
                time(CREATED_AT));
    }

    private Body body() throws SQLException {
        int bytes = number(PAYLOAD_BYTES);
        return new Body(text(CONTENT_TYPE), payload(bytes), bytes);
    }

    private OutboxPayload payload(int bytes) throws SQLException {
        String text = text(PAYLOAD);
        if (text != null) {
            return OutboxPayload.text(text);
        }
        byte[] binary = row.getBytes(PAYLOAD_BINARY.column);
        if (binary != null) {
            return OutboxPayload.binary(binary);
        }
        return bytes == 0 ? OutboxPayload.text("") : OutboxPayload.erased();
    }

    private Context context() throws SQLException {
        String json = text(HEADERS);
        Map<String, String> headers = json == null ? new HashMap<>() : HeadersColumn.read(json);
        boolean external = headers.remove(HeadersColumn.EXTERNAL) != null;
        String origin = headers.remove(HeadersColumn.ORIGIN);
        String originId = text(ORIGIN_MESSAGE_ID);
        return new Context(
                text(CORRELATION_ID),
                text(CAUSATION_ID),
                text(TENANT_ID),
                headers,
                external,
                origin == null ? null : Long.valueOf(origin),
                originId == null ? null : UUID.fromString(originId));
    }

    private Terms terms() throws SQLException {
        Instant expiresAt = time(EXPIRES_AT);
        int number = number(PRIORITY);
        Integer priority = row.wasNull() ? null : number;
        return new Terms(
                time(NOT_BEFORE),
                expiresAt,
                expiresAt == null ? null : Duration.between(readAt(), expiresAt),
                priority);
    }

    private OutboxStatus status() throws SQLException {
        int code = number(STATUS);
        return StatusCode.status(row.wasNull() ? -1 : code);
    }

    /** The database's time at the read. */
    public Instant readAt() throws SQLException {
        return dialect.time(row, "read_at");
    }

    /** What can still be read of a row that is no message. */
    public StoredMessage.Unreadable unreadable(Exception cause) throws SQLException {
        return new StoredMessage.Unreadable(
                row.getLong(SEQ.column),
                text(MESSAGE_ID),
                statusName(),
                text(EVENT_TYPE),
                text(MESSAGE_KEY),
                text(DESTINATION),
                String.valueOf(cause.getMessage()));
    }

    private String statusName() throws SQLException {
        try {
            return status().name();
        } catch (IllegalArgumentException unknown) {
            return row.getString(STATUS.column);
        }
    }

    private String text(MessageColumn column) throws SQLException {
        String text = row.getString(column.column);
        return column.form == ColumnForm.TEXT ? dialect.decodeText(text) : text;
    }

    private int number(MessageColumn column) throws SQLException {
        return row.getInt(column.column);
    }

    private Instant time(MessageColumn column) throws SQLException {
        return dialect.time(row, column.column);
    }
}
