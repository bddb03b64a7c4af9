package dev.cdioutbox.tests.server;

/**
 * Statements that insert messages and their queue rows without the outbox, so that no wake-up starts a worker. Each wraps
 * an INSERT into {@code outbox_message}.
 */
public final class QueuedMessages {
    private QueuedMessages() {}

    public static String onPostgresql(String insert) {
        return """
                WITH m AS (%s RETURNING seq, partition_id)
                INSERT INTO outbox_queue (seq, queue_id) SELECT m.seq, m.partition_id FROM m""".formatted(insert);
    }

    public static String onH2(String insert) {
        return """
                INSERT INTO outbox_queue (seq, queue_id)
                SELECT m.seq, m.partition_id FROM FINAL TABLE (%s) m""".formatted(insert);
    }
}
