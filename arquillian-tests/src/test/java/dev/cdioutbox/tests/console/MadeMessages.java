package dev.cdioutbox.tests.console;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.StatusCode;
import dev.cdioutbox.tests.server.SampleServer;

/** Messages of the type {@code Made}, which no application fired. No claim reads those that wait. */
final class MadeMessages {
    private static final long HOME =
            QueueId.of("sample", "default", PartitionIds.FIRST_OF_KEYS).value();

    private MadeMessages() {}

    static void make(SampleServer server, int count, OutboxStatus status, String key, String payload, String error) {
        String columns = "outbox_delivery (settled_at";
        String values = "";
        if (StatusCode.of(status) <= StatusCode.ABANDONED) {
            columns = "outbox_queue (queue_id, last_attempt_at";
            values = (status == OutboxStatus.ABANDONED ? -HOME : QueueId.NOWHERE.value()) + ", ";
        }
        server.update("""
                INSERT INTO %s, seq, status, attempts, last_error)
                SELECT %sCURRENT_TIMESTAMP, seq, %d, 3, CAST(? AS VARCHAR) FROM FINAL TABLE (
                  INSERT INTO outbox_message (message_id, application, event_type, schema_version, message_key, partition_id,
                    destination, content_type, payload, payload_bytes, occurred_at)
                  SELECT CAST(RANDOM_UUID() AS VARCHAR), 'sample', 'Made', 1, CAST(? AS VARCHAR), %d,
                    'default', 'application/json', CAST(? AS VARCHAR), LENGTH(CAST(? AS VARCHAR)), CURRENT_TIMESTAMP
                  FROM SYSTEM_RANGE(1, %d))""".formatted(columns, values, StatusCode.of(status), HOME, count), error, key, payload, payload);
    }

    /** Moves those that wait to the queue of their key, which no claim reads, since it waits for an operator. */
    static void block(SampleServer server, String key) {
        long queue = QueueId.ofBlockedKey(System.currentTimeMillis()).value();
        server.update(
                "INSERT INTO outbox_blocked_key (id, partition_id, message_key) VALUES (?, ?, ?)", queue, HOME, key);
        server.update(
                "UPDATE outbox_queue SET queue_id = ? WHERE seq IN (SELECT seq FROM outbox_message WHERE event_type = 'Made')",
                queue);
    }

    static void delete(SampleServer server) {
        for (String table : new String[] {"queue", "delivery", "message"}) {
            server.update("DELETE FROM outbox_" + table
                    + " WHERE seq IN (SELECT seq FROM outbox_message WHERE event_type = 'Made')");
        }
        server.update("DELETE FROM outbox_blocked_key WHERE id NOT IN (SELECT queue_id FROM outbox_queue)");
    }
}
