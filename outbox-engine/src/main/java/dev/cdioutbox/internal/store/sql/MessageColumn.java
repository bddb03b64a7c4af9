package dev.cdioutbox.internal.store.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Delivery;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.StoredMessage.Terms;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * The columns of a message: how each is stored, what an insert writes into it, and how a query reads it. Most are
 * facts, which are in the message table. Status, attempts and errors are in the queue row of a message that waits or
 * was abandoned, and in the delivery of any other. In a query, the alias {@code m} is the message, {@code q} its
 * queue row, and {@code d} its delivery.
 */
public enum MessageColumn {
    SEQ(Form.NUMBER),
    MESSAGE_ID(Form.PLAIN, row -> row.message().id().toString()),
    APPLICATION(Form.PLAIN, NewRow::application),
    EVENT_TYPE(Form.PLAIN, row -> row.message().event().type()),
    SCHEMA_VERSION(Form.NUMBER, row -> row.message().event().version()),
    AGGREGATE_TYPE(Form.TEXT, row -> row.message().event().aggregateType()),
    AGGREGATE_ID(Form.TEXT, row -> StoredMessage.ownAggregateId(row.message().event())),
    MESSAGE_KEY(Form.TEXT, row -> row.message().event().key()),
    PARTITION_ID(Form.ID, NewRow::partition),
    DESTINATION(Form.PLAIN, row -> row.message().destination()),
    CONTENT_TYPE(Form.PLAIN, row -> row.message().body().contentType()),
    /** Null if the payload is binary, was erased, or, on Oracle, is an empty text. */
    PAYLOAD(Form.PLAIN, row -> textOf(row.message().body().payload())),
    /** Null if the payload is a text or was erased. */
    PAYLOAD_BINARY(Form.BYTES, row -> bytesOf(row.message().body().payload())),
    PAYLOAD_BYTES(Form.NUMBER, row -> row.message().body().bytes()),
    HEADERS(Form.PLAIN, row -> HeadersColumn.json(row.message().context())),
    CORRELATION_ID(Form.TEXT, row -> row.message().context().correlationId()),
    CAUSATION_ID(Form.TEXT, row -> row.message().context().causationId()),
    TENANT_ID(Form.TEXT, row -> row.message().context().tenantId()),
    OCCURRED_AT(Form.TIME, row -> row.message().occurredAt()),
    CREATED_AT(Form.DATABASE_TIME, row -> ""),
    NOT_BEFORE(Form.TIME, row -> row.message().terms().notBefore()),
    EXPIRES_AT(
            Form.EXPIRY,
            "CASE WHEN q.requeued_at IS NULL THEN m.expires_at END",
            row -> expiry(row.message().terms())),
    PRIORITY(Form.NUMBER, row -> row.message().terms().priority()),
    ORIGIN_MESSAGE_ID(Form.PLAIN, row -> originId(row.message().context())),
    TRANSPORT(Form.PLAIN, NewRow::transport),
    AVAILABLE_AT(Form.TIME, "q.available_at"),
    STATUS(Form.STATUS, "q.status", "d.status"),
    ATTEMPTS(Form.NUMBER, "q.attempts", "d.attempts"),
    LAST_ATTEMPT_AT(Form.TIME, "q.last_attempt_at", "d.settled_at"),
    LAST_ERROR(Form.PLAIN, "q.last_error", "d.last_error"),
    PUBLISHED_AT(Form.TIME, "CASE WHEN d.status = " + StatusCode.PUBLISHED + " THEN d.settled_at END"),
    BROKER_MESSAGE_ID(Form.PLAIN, "d.broker_message_id"),
    SHADOW_DESTINATION(Form.PLAIN, "d.shadow_destination");

    /** The columns of the message table, which never change unless a payload is erased. */
    public static final Set<MessageColumn> FACTS = EnumSet.range(SEQ, TRANSPORT);

    /** The columns that an insert fills. */
    public static final List<MessageColumn> INSERTED =
            Arrays.stream(values()).filter(column -> column.value != null).toList();

    /** The columns that the publication of change data capture has: those of which the messages are made. */
    public static final Set<MessageColumn> PUBLICATION = EnumSet.of(
            SEQ,
            MESSAGE_ID,
            APPLICATION,
            EVENT_TYPE,
            SCHEMA_VERSION,
            AGGREGATE_TYPE,
            AGGREGATE_ID,
            MESSAGE_KEY,
            DESTINATION,
            CONTENT_TYPE,
            PAYLOAD,
            PAYLOAD_BINARY,
            HEADERS,
            CORRELATION_ID,
            CAUSATION_ID,
            TENANT_ID,
            OCCURRED_AT,
            TRANSPORT);

    /** The columns of the archive, where no message waits. */
    public static final Set<MessageColumn> ARCHIVED = EnumSet.complementOf(EnumSet.of(AVAILABLE_AT));

    /** The columns of the view that applications query. */
    public static final Set<MessageColumn> VIEWED =
            EnumSet.complementOf(EnumSet.of(PARTITION_ID, PAYLOAD_BYTES, HEADERS, ORIGIN_MESSAGE_ID, TRANSPORT));

    private static final Set<MessageColumn> READ =
            EnumSet.complementOf(EnumSet.of(APPLICATION, PARTITION_ID, TRANSPORT, AVAILABLE_AT));

    /** The condition that a message, {@code m}, has an erased payload. Oracle stores an empty text as null, too. */
    public static final String IS_ERASED = "m.payload_bytes > 0 AND m.payload IS NULL AND m.payload_binary IS NULL";

    private static final Set<MessageColumn> DELIVERED = EnumSet.of(PUBLISHED_AT, BROKER_MESSAGE_ID, SHADOW_DESTINATION);

    private final Form form;
    /**
     * The value that an insert writes; null if it never writes the column. A time that the database sets has an empty
     * text, so that it counts as written.
     */
    private final Function<NewRow, Object> value;
    /** Kept, because reading a row asks for the name of each column. */
    private final String column = name().toLowerCase(Locale.ROOT);

    /** The column in a query on all three tables. */
    private final String expression;

    /** The column of the queue row, for a value that the delivery has later; else null. */
    private final String inQueue;

    /** A fact that no insert writes. */
    MessageColumn(Form form) {
        this(form, (Function<NewRow, Object>) null);
    }

    /** A fact. */
    MessageColumn(Form form, Function<NewRow, Object> value) {
        this.form = form;
        this.value = value;
        this.expression = "m." + column;
        this.inQueue = null;
    }

    MessageColumn(Form form, String expression) {
        this(form, expression, (Function<NewRow, Object>) null);
    }

    MessageColumn(Form form, String expression, Function<NewRow, Object> value) {
        this.form = form;
        this.value = value;
        this.expression = expression;
        this.inQueue = null;
    }

    /** What the queue row says of a message that waits, and the delivery of another one. */
    MessageColumn(Form form, String inQueue, String inDelivery) {
        this.form = form;
        this.value = null;
        this.expression = "COALESCE(%s, %s)".formatted(inQueue, inDelivery);
        this.inQueue = inQueue;
    }

    /** The name in the tables. */
    public String column() {
        return column;
    }

    public static String names(Iterable<MessageColumn> columns) {
        StringBuilder names = new StringBuilder();
        columns.forEach(column -> names.append(names.isEmpty() ? "" : ", ").append(column.column()));
        return names.toString();
    }

    /** The columns that at least one of these rows fills. Each column costs the database time, even if it is null. */
    static List<MessageColumn> inserted(List<NewRow> rows) {
        return INSERTED.stream()
                .filter(column -> rows.stream().anyMatch(row -> column.value.apply(row) != null))
                .toList();
    }

    /** The values of an INSERT, whose parameters {@link #bind} sets. */
    static String expressions(List<MessageColumn> columns, Dialect dialect) {
        return columns.stream()
                .map(column -> column.insertedExpression(dialect))
                .collect(Collectors.joining(", "));
    }

    /** The column in a query on all three tables. */
    public String expression() {
        return expression;
    }

    /** The column in a query on queue and messages only. */
    public String expressionOfWaiting() {
        return inQueue == null ? expression : inQueue;
    }

    /** The expressions that copy a message into the archive. */
    public static String archived() {
        return ARCHIVED.stream()
                .map(column -> column == STATUS ? StatusCode.name(column.expression) : column.expression)
                .collect(Collectors.joining(", "));
    }

    /** The columns that {@link #message} reads, and the database's time as {@code read_at}. */
    public static String selected(Dialect dialect) {
        return selected(READ.stream(), column -> column.expression, dialect);
    }

    /** The columns that {@link #waiting} reads, and the database's time as {@code read_at}. */
    public static String selectedWaiting(Dialect dialect) {
        return selected(
                READ.stream().filter(column -> !DELIVERED.contains(column)),
                column -> column == SEQ ? "q.seq" : column.expressionOfWaiting(),
                dialect);
    }

    private static String selected(
            Stream<MessageColumn> columns, Function<MessageColumn, String> expression, Dialect dialect) {
        return columns.map(column -> column.named(
                                column.form.isTime()
                                        ? dialect.selectTime(expression.apply(column))
                                        : expression.apply(column)))
                        .collect(Collectors.joining(", "))
                + ", " + dialect.selectTime(dialect.now()) + " AS read_at";
    }

    /** A column has its name already, and a claim repeats the list for each queue. */
    private String named(String expression) {
        return expression.matches("\\w\\." + column) ? expression : expression + " AS " + column;
    }

    /** The same columns with an empty text in place of each payload. */
    public static String withoutPayloads(String selected) {
        return selected.replace("m.payload,", "'' AS payload,")
                .replace("m.payload_binary,", "CASE WHEN 1 = 0 THEN m.payload_binary END AS payload_binary,");
    }

    private String insertedExpression(Dialect dialect) {
        return switch (form) {
            case PLAIN, TEXT, NUMBER, ID, BYTES -> "?";
            case TIME -> dialect.timeParameter("?");
            case DATABASE_TIME -> dialect.now();
            case EXPIRY -> "COALESCE(%s, %s)".formatted(dialect.timeParameter("?"), dialect.nowPlusMillis("?"));
            case STATUS -> throw new IllegalStateException("no insert of a message has a status");
        };
    }

    /** @return the number of the parameter after this column */
    int bind(PreparedStatement insert, int parameter, NewRow row, Dialect dialect) throws SQLException {
        Object filled = value.apply(row);
        switch (form) {
            case PLAIN -> insert.setString(parameter, (String) filled);
            case TEXT -> insert.setString(parameter, dialect.encodeText((String) filled));
            case NUMBER -> insert.setObject(parameter, filled, Types.INTEGER);
            case ID -> insert.setLong(parameter, (Long) filled);
            case BYTES -> insert.setBytes(parameter, (byte[]) filled);
            case TIME -> dialect.setTime(insert, parameter, (Instant) filled);
            case EXPIRY -> {
                dialect.setTime(insert, parameter, filled instanceof Instant time ? time : null);
                insert.setObject(parameter + 1, filled instanceof Long millis ? millis : null, Types.BIGINT);
                return parameter + 2;
            }
            case DATABASE_TIME, STATUS -> {
                return parameter;
            }
        }
        return parameter + 1;
    }

    /**
     * Reads a message from a row of all three tables. Throws a RuntimeException or SQLDataException if it is
     * unreadable.
     */
    public static OutboxMessage message(ResultSet row, Dialect dialect) throws SQLException {
        return message(
                row,
                dialect,
                PUBLISHED_AT.time(row, dialect),
                BROKER_MESSAGE_ID.text(row, dialect),
                SHADOW_DESTINATION.text(row, dialect));
    }

    /** Reads a waiting message from a row of queue and messages. */
    public static OutboxMessage waiting(ResultSet row, Dialect dialect) throws SQLException {
        return message(row, dialect, null, null, null);
    }

    private static OutboxMessage message(
            ResultSet row, Dialect dialect, Instant publishedAt, String brokerId, String shadow) throws SQLException {
        return new StoredMessage(
                row.getLong(SEQ.column),
                UUID.fromString(MESSAGE_ID.text(row, dialect)),
                new Event(
                        EVENT_TYPE.text(row, dialect),
                        SCHEMA_VERSION.number(row),
                        AGGREGATE_TYPE.text(row, dialect),
                        MESSAGE_KEY.text(row, dialect),
                        AGGREGATE_ID.text(row, dialect)),
                body(row, dialect),
                context(row, dialect),
                terms(row, dialect),
                new Delivery(
                        DESTINATION.text(row, dialect),
                        status(row),
                        ATTEMPTS.number(row),
                        LAST_ATTEMPT_AT.time(row, dialect),
                        LAST_ERROR.text(row, dialect),
                        publishedAt,
                        brokerId,
                        shadow),
                OCCURRED_AT.time(row, dialect),
                CREATED_AT.time(row, dialect));
    }

    private static Body body(ResultSet row, Dialect dialect) throws SQLException {
        int bytes = PAYLOAD_BYTES.number(row);
        return new Body(CONTENT_TYPE.text(row, dialect), payload(row, bytes, PAYLOAD.text(row, dialect)), bytes);
    }

    private static OutboxPayload payload(ResultSet row, int bytes, String text) throws SQLException {
        if (text != null) {
            return OutboxPayload.text(text);
        }
        byte[] binary = row.getBytes(PAYLOAD_BINARY.column);
        if (binary != null) {
            return OutboxPayload.binary(binary);
        }
        return bytes == 0 ? OutboxPayload.text("") : OutboxPayload.erased();
    }

    private static String textOf(OutboxPayload payload) {
        return payload.isBinary() ? null : payload.text();
    }

    private static byte[] bytesOf(OutboxPayload payload) {
        return payload.isBinary() ? payload.toBytes() : null;
    }

    /** What can still be read of a row that {@link #message} cannot read. */
    public static StoredMessage.Unreadable unreadable(ResultSet row, Dialect dialect, Exception cause)
            throws SQLException {
        return new StoredMessage.Unreadable(
                row.getLong(SEQ.column),
                MESSAGE_ID.text(row, dialect),
                statusName(row),
                EVENT_TYPE.text(row, dialect),
                MESSAGE_KEY.text(row, dialect),
                DESTINATION.text(row, dialect),
                String.valueOf(cause.getMessage()));
    }

    private static OutboxStatus status(ResultSet row) throws SQLException {
        int code = STATUS.number(row);
        return StatusCode.status(row.wasNull() ? -1 : code);
    }

    private static String statusName(ResultSet row) throws SQLException {
        try {
            return status(row).name();
        } catch (IllegalArgumentException unknown) {
            return row.getString(STATUS.column);
        }
    }

    /** The database's time at the read. */
    public static Instant readAt(ResultSet row, Dialect dialect) throws SQLException {
        return dialect.time(row, "read_at");
    }

    private static Terms terms(ResultSet row, Dialect dialect) throws SQLException {
        Instant expiresAt = EXPIRES_AT.time(row, dialect);
        int number = PRIORITY.number(row);
        Integer priority = row.wasNull() ? null : number;
        return new Terms(
                NOT_BEFORE.time(row, dialect),
                expiresAt,
                expiresAt == null ? null : Duration.between(readAt(row, dialect), expiresAt),
                priority);
    }

    /** A time for a delayed message, for others the milliseconds from the insert; null if it never expires. */
    private static Object expiry(NewMessage.Terms terms) {
        Duration left = terms.timeToLive();
        return left == null
                ? null
                : terms.notBefore() == null
                        ? (Object) left.toMillis()
                        : terms.notBefore().plus(left);
    }

    private static Context context(ResultSet row, Dialect dialect) throws SQLException {
        String json = HEADERS.text(row, dialect);
        Map<String, String> headers = json == null ? new HashMap<>() : HeadersColumn.read(json);
        boolean external = headers.remove(HeadersColumn.EXTERNAL) != null;
        String origin = headers.remove(HeadersColumn.ORIGIN);
        String originId = ORIGIN_MESSAGE_ID.text(row, dialect);
        return new Context(
                CORRELATION_ID.text(row, dialect),
                CAUSATION_ID.text(row, dialect),
                TENANT_ID.text(row, dialect),
                headers,
                external,
                origin == null ? null : Long.valueOf(origin),
                originId == null ? null : UUID.fromString(originId));
    }

    private static String originId(OutboxMessage.Context context) {
        return context.originId() == null ? null : context.originId().toString();
    }

    private String text(ResultSet row, Dialect dialect) throws SQLException {
        String text = row.getString(column());
        return form == Form.TEXT ? dialect.decodeText(text) : text;
    }

    private int number(ResultSet row) throws SQLException {
        return row.getInt(column());
    }

    private Instant time(ResultSet row, Dialect dialect) throws SQLException {
        return dialect.time(row, column());
    }

    /**
     * A message for the insert.
     *
     * @param partition the id of its partition
     * @param queue the id of the partition in which it waits: its own, or that of the delayed messages
     * @param transport what sends it without waiting; null for the dispatcher
     */
    record NewRow(NewMessage message, String application, long partition, long queue, String transport) {}

    /** The stored form of values. */
    private enum Form {
        PLAIN,
        /** A text that may be empty or end with a blank, {@linkplain Dialect#encodeText encoded}. */
        TEXT,
        NUMBER,
        ID,
        BYTES,
        TIME,
        /** The database's time of the insert. */
        DATABASE_TIME,
        /** A time after {@code notBefore}, or after the database's time of the insert. */
        EXPIRY,
        /** A {@link StatusCode}. */
        STATUS;

        boolean isTime() {
            return this == TIME || this == DATABASE_TIME || this == EXPIRY;
        }
    }
}
