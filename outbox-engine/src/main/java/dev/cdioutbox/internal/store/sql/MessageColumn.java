package dev.cdioutbox.internal.store.sql;

import static dev.cdioutbox.internal.store.sql.ColumnForm.BYTES;
import static dev.cdioutbox.internal.store.sql.ColumnForm.DATABASE_TIME;
import static dev.cdioutbox.internal.store.sql.ColumnForm.EXPIRY;
import static dev.cdioutbox.internal.store.sql.ColumnForm.ID;
import static dev.cdioutbox.internal.store.sql.ColumnForm.NUMBER;
import static dev.cdioutbox.internal.store.sql.ColumnForm.PLAIN;
import static dev.cdioutbox.internal.store.sql.ColumnForm.TEXT;
import static dev.cdioutbox.internal.store.sql.ColumnForm.TIME;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.ColumnForm.Expiry;

/**
 * The columns of a message: in which form each is stored, what an insert writes into it, and where a query finds it. In a query, the
 * alias {@code m} is the message, {@code q} its queue row, and {@code d} its delivery. {@code MessageInsert} writes the
 * columns, and {@link MessageRow} reads them.
 */
public enum MessageColumn {
    // Facts, in the message table: the value that an insert writes, or null.
    /** The database numbers the messages. */
    SEQ(NUMBER, "q.seq", "m.seq"),
    MESSAGE_ID(PLAIN, row -> row.message().id().toString()),
    APPLICATION(PLAIN, NewRow::application),
    EVENT_TYPE(PLAIN, row -> row.event().type()),
    SCHEMA_VERSION(NUMBER, row -> row.event().version()),
    AGGREGATE_TYPE(TEXT, row -> row.event().aggregateType()),
    /** Null if it is the key. */
    AGGREGATE_ID(TEXT, row -> StoredMessage.ownAggregateId(row.event())),
    MESSAGE_KEY(TEXT, row -> row.event().key()),
    PARTITION_ID(ID, NewRow::partition),
    DESTINATION(PLAIN, row -> row.message().destination()),
    CONTENT_TYPE(PLAIN, row -> row.body().contentType()),
    /** Null if the payload is binary, was erased, or, on Oracle, is an empty text. */
    PAYLOAD(PLAIN, NewRow::text),
    /** Null if the payload is a text or was erased. */
    PAYLOAD_BINARY(BYTES, NewRow::binary),
    PAYLOAD_BYTES(NUMBER, row -> row.body().bytes()),
    HEADERS(PLAIN, row -> HeadersColumn.json(row.context())),
    CORRELATION_ID(TEXT, row -> row.context().correlationId()),
    CAUSATION_ID(TEXT, row -> row.context().causationId()),
    TENANT_ID(TEXT, row -> row.context().tenantId()),
    OCCURRED_AT(TIME, row -> row.message().occurredAt()),
    CREATED_AT(DATABASE_TIME, row -> "now"),
    NOT_BEFORE(TIME, row -> row.terms().notBefore()),
    /** A message that was requeued does not expire any more. */
    EXPIRES_AT(EXPIRY, "CASE WHEN q.requeued_at IS NULL THEN m.expires_at END", row -> Expiry.of(row.terms())),
    PRIORITY(NUMBER, row -> row.terms().priority()),
    ORIGIN_MESSAGE_ID(PLAIN, NewRow::originId),
    TRANSPORT(PLAIN, NewRow::transport),

    // What changes: where a query of waiting messages finds it, and one of all messages.
    AVAILABLE_AT(TIME, "q.available_at", "q.available_at"),
    STATUS(NUMBER, "q.status", "COALESCE(q.status, d.status)"),
    ATTEMPTS(NUMBER, "q.attempts", "COALESCE(q.attempts, d.attempts)"),
    LAST_ATTEMPT_AT(TIME, "q.last_attempt_at", "COALESCE(q.last_attempt_at, d.settled_at)"),
    LAST_ERROR(PLAIN, "q.last_error", "COALESCE(q.last_error, d.last_error)"),
    PUBLISHED_AT(TIME, "NULL", "CASE WHEN d.status = " + StatusCode.PUBLISHED + " THEN d.settled_at END"),
    BROKER_MESSAGE_ID(PLAIN, "NULL", "d.broker_message_id"),
    SHADOW_DESTINATION(PLAIN, "NULL", "d.shadow_destination");

    /** The columns of the message table, which never change unless a payload is erased. */
    public static final Set<MessageColumn> FACTS = EnumSet.range(SEQ, TRANSPORT);

    /** The columns that an insert may write. */
    public static final List<MessageColumn> INSERTED = List.copyOf(EnumSet.range(MESSAGE_ID, TRANSPORT));

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

    /** The condition that a message, {@code m}, has an erased payload. Oracle stores an empty text as null, too. */
    public static final String IS_ERASED = "m.payload_bytes > 0 AND m.payload IS NULL AND m.payload_binary IS NULL";

    final ColumnForm form;
    /** Kept, because reading a row asks for the name of each column. */
    final String column = name().toLowerCase(Locale.ROOT);

    private final String expressionOfWaiting;
    private final String expression;
    private final Function<NewRow, Object> inserted;

    MessageColumn(ColumnForm form, Function<NewRow, Object> inserted) {
        this.form = form;
        this.expression = "m." + column;
        this.expressionOfWaiting = expression;
        this.inserted = inserted;
    }

    MessageColumn(ColumnForm form, String expression, Function<NewRow, Object> inserted) {
        this.form = form;
        this.expression = expression;
        this.expressionOfWaiting = expression;
        this.inserted = inserted;
    }

    MessageColumn(ColumnForm form, String expressionOfWaiting, String expression) {
        this.form = form;
        this.expression = expression;
        this.expressionOfWaiting = expressionOfWaiting;
        this.inserted = row -> null;
    }

    /** The name in the tables. */
    public String column() {
        return column;
    }

    public static String names(Collection<MessageColumn> columns) {
        return columns.stream().map(MessageColumn::column).collect(Collectors.joining(", "));
    }

    /** The column in a query on all three tables. */
    public String expression() {
        return expression;
    }

    /** The column in a query on queue and messages only. */
    public String expressionOfWaiting() {
        return expressionOfWaiting;
    }

    /** The expressions that copy a message into the archive. */
    public static String archived() {
        return ARCHIVED.stream()
                .map(column -> column == STATUS ? StatusCode.name(column.expression) : column.expression)
                .collect(Collectors.joining(", "));
    }

    /** What stands for the value in an INSERT, whose parameters {@link #bind} sets. */
    public String inserted(Dialect dialect) {
        return form.inserted(dialect);
    }

    public boolean isFilledBy(NewRow row) {
        return inserted.apply(row) != null;
    }

    /** @return the number of the parameter after this column */
    public int bind(PreparedStatement insert, int parameter, NewRow row, Dialect dialect) throws SQLException {
        return form.bind(insert, parameter, inserted.apply(row), dialect);
    }
}
