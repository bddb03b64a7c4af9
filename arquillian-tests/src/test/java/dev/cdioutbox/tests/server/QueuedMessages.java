package dev.cdioutbox.tests.server;

/**
 * Statements that insert messages and their queue rows without the outbox, so that no wake-up starts a worker. Each wraps
 * an INSERT into {@code outbox_message}.
 */
public final class QueuedMessages {
    private QueuedMessages() {}

    public static String onPostgresql(String insert) {
        return """
                WITH m AS (%s RETURNING seq, application, destination, partition_no)
                INSERT INTO outbox_queue (seq, queue_id)
                SELECT m.seq, p.id FROM m JOIN outbox_partition p USING (application, destination, partition_no)""".formatted(insert);
    }

    /** A join could execute the INSERT once for each partition. */
    public static String onH2(String insert) {
        return """
                INSERT INTO outbox_queue (seq, queue_id)
                SELECT m.seq, (SELECT p.id FROM outbox_partition p WHERE p.application = m.application
                  AND p.destination = m.destination AND p.partition_no = m.partition_no)
                FROM FINAL TABLE (%s) m""".formatted(insert);
    }
}
