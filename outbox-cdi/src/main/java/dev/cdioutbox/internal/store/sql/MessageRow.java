package dev.cdioutbox.internal.store.sql;

import static dev.cdioutbox.internal.store.sql.MessageColumn.AGGREGATE_TYPE;
import static dev.cdioutbox.internal.store.sql.MessageColumn.ATTEMPTS;
import static dev.cdioutbox.internal.store.sql.MessageColumn.BROKER_MESSAGE_ID;
import static dev.cdioutbox.internal.store.sql.MessageColumn.CAUSATION_ID;
import static dev.cdioutbox.internal.store.sql.MessageColumn.CONTENT_TYPE;
import static dev.cdioutbox.internal.store.sql.MessageColumn.CORRELATION_ID;
import static dev.cdioutbox.internal.store.sql.MessageColumn.CREATED_AT;
import static dev.cdioutbox.internal.store.sql.MessageColumn.DESTINATION;
import static dev.cdioutbox.internal.store.sql.MessageColumn.EVENT_TYPE;
import static dev.cdioutbox.internal.store.sql.MessageColumn.EXPIRES_AT;
import static dev.cdioutbox.internal.store.sql.MessageColumn.HEADERS;
import static dev.cdioutbox.internal.store.sql.MessageColumn.LAST_ATTEMPT_AT;
import static dev.cdioutbox.internal.store.sql.MessageColumn.LAST_ERROR;
import static dev.cdioutbox.internal.store.sql.MessageColumn.MESSAGE_ID;
import static dev.cdioutbox.internal.store.sql.MessageColumn.MESSAGE_KEY;
import static dev.cdioutbox.internal.store.sql.MessageColumn.NOT_BEFORE;
import static dev.cdioutbox.internal.store.sql.MessageColumn.OCCURRED_AT;
import static dev.cdioutbox.internal.store.sql.MessageColumn.PAYLOAD;
import static dev.cdioutbox.internal.store.sql.MessageColumn.PAYLOAD_BYTES;
import static dev.cdioutbox.internal.store.sql.MessageColumn.PRIORITY;
import static dev.cdioutbox.internal.store.sql.MessageColumn.PUBLISHED_AT;
import static dev.cdioutbox.internal.store.sql.MessageColumn.SCHEMA_VERSION;
import static dev.cdioutbox.internal.store.sql.MessageColumn.SEQ;
import static dev.cdioutbox.internal.store.sql.MessageColumn.SHADOW_DESTINATION;
import static dev.cdioutbox.internal.store.sql.MessageColumn.STATUS;
import static dev.cdioutbox.internal.store.sql.MessageColumn.TENANT_ID;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Body;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxMessage.Delivery;
import dev.cdioutbox.OutboxMessage.Event;
import dev.cdioutbox.OutboxMessage.Terms;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.dialect.Dialect;

/** Reads the columns of a message. */
public final class MessageRow {
    private final Dialect dialect;

    public MessageRow(Dialect dialect) {
        this.dialect = dialect;
    }

    public OutboxMessage message(ResultSet row) throws SQLException {
        return new OutboxMessage(
                row.getLong(SEQ.column()),
                UUID.fromString(MESSAGE_ID.text(row, dialect)),
                new Event(
                        EVENT_TYPE.text(row, dialect),
                        SCHEMA_VERSION.number(row),
                        AGGREGATE_TYPE.text(row, dialect),
                        MESSAGE_KEY.text(row, dialect)),
                new Body(
                        CONTENT_TYPE.text(row, dialect),
                        Objects.requireNonNullElse(PAYLOAD.text(row, dialect), ""),
                        PAYLOAD_BYTES.number(row)),
                new Context(
                        CORRELATION_ID.text(row, dialect),
                        CAUSATION_ID.text(row, dialect),
                        TENANT_ID.text(row, dialect),
                        HeadersJson.read(HEADERS.text(row, dialect))),
                terms(row),
                new Delivery(
                        DESTINATION.text(row, dialect),
                        OutboxStatus.valueOf(STATUS.text(row, dialect)),
                        ATTEMPTS.number(row),
                        LAST_ATTEMPT_AT.time(row, dialect),
                        LAST_ERROR.text(row, dialect),
                        PUBLISHED_AT.time(row, dialect),
                        BROKER_MESSAGE_ID.text(row, dialect),
                        SHADOW_DESTINATION.text(row, dialect)),
                OCCURRED_AT.time(row, dialect),
                CREATED_AT.time(row, dialect));
    }

    /** The database's time of the read. */
    public Instant readAt(ResultSet row) throws SQLException {
        return dialect.time(row, "read_at");
    }

    private Terms terms(ResultSet row) throws SQLException {
        Instant expiresAt = EXPIRES_AT.time(row, dialect);
        int number = PRIORITY.number(row);
        Integer priority = row.wasNull() ? null : number;
        return new Terms(
                NOT_BEFORE.time(row, dialect),
                expiresAt,
                expiresAt == null ? null : Duration.between(readAt(row), expiresAt),
                priority);
    }
}
