package dev.cdioutbox.internal.store;

import java.sql.ResultSet;
import java.sql.SQLDataException;
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

/** Reads the columns of a message. */
final class MessageRow {
    private final Dialect dialect;

    MessageRow(Dialect dialect) {
        this.dialect = dialect;
    }

    ClaimedMessage claimed(ResultSet row) throws SQLException {
        long sequence = row.getLong("seq");
        // A delayed message has left its key's order.
        String key = isDelayed(row) ? null : text(row, "message_key");
        boolean due = row.getInt("due") == 1;
        boolean blocked = row.getInt("key_blocked") == 1;
        try {
            return new ClaimedMessage(sequence, key, blocked, due, message(row), null);
        } catch (RuntimeException | SQLDataException undecodable) {
            // An unreadable row must not fail the whole claim.
            return new ClaimedMessage(sequence, key, blocked, due, null, String.valueOf(undecodable.getMessage()));
        }
    }

    private static boolean isDelayed(ResultSet row) throws SQLException {
        try {
            return row.getObject("not_before") != null;
        } catch (RuntimeException | SQLDataException undecodable) {
            return true;
        }
    }

    OutboxMessage message(ResultSet row) throws SQLException {
        return new OutboxMessage(
                row.getLong("seq"),
                UUID.fromString(row.getString("message_id")),
                new Event(
                        row.getString("event_type"),
                        row.getInt("schema_version"),
                        text(row, "aggregate_type"),
                        text(row, "message_key")),
                new Body(
                        row.getString("content_type"),
                        Objects.requireNonNullElse(row.getString("payload"), ""),
                        row.getInt("payload_bytes")),
                new Context(
                        text(row, "correlation_id"),
                        text(row, "causation_id"),
                        text(row, "tenant_id"),
                        HeadersJson.read(row.getString("headers"))),
                terms(row),
                new Delivery(
                        row.getString("destination"),
                        OutboxStatus.valueOf(row.getString("status")),
                        row.getInt("attempts"),
                        dialect.time(row, "last_attempt_at"),
                        row.getString("last_error"),
                        dialect.time(row, "published_at"),
                        row.getString("broker_message_id"),
                        row.getString("shadow_destination")),
                dialect.time(row, "occurred_at"),
                dialect.time(row, "created_at"));
    }

    private String text(ResultSet row, String column) throws SQLException {
        return dialect.decodeText(row.getString(column));
    }

    /** The database's time when the row was read. */
    Instant readAt(ResultSet row) throws SQLException {
        return dialect.time(row, "read_at");
    }

    private Terms terms(ResultSet row) throws SQLException {
        Instant expiresAt = dialect.time(row, "expires_at");
        int number = row.getInt("priority");
        Integer priority = row.wasNull() ? null : number;
        return new Terms(
                dialect.time(row, "not_before"),
                expiresAt,
                expiresAt == null ? null : Duration.between(readAt(row), expiresAt),
                priority);
    }
}
