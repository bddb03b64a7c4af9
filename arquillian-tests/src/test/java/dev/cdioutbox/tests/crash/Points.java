package dev.cdioutbox.tests.crash;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.sql.StatusCode;

/**
 * Maps calls at the edges of the engine to named points: a statement by its verb and table, a branch by its phase.
 * Except for {@link WrongEngine}, only this class knows the engine's statements.
 */
final class Points {
    private static final List<Statement> STATEMENTS = List.of(
            new Statement("CREATE TABLE.*", Point.SCHEMA_CREATION, null),
            new Statement("WITH inserted AS \\(INSERT INTO outbox_message .*", Point.BEFORE_INSERT, Point.AFTER_INSERT),
            new Statement(
                    "(WITH claimable AS \\( )?SELECT p\\.id, CASE.* FROM outbox_partition p .*",
                    Point.BEFORE_CLAIM,
                    null),
            new Statement("SELECT r\\.\\* FROM \\(VALUES .*", Point.AFTER_CLAIM, Point.MESSAGES_READ),
            new Statement(
                    "WITH settled AS .* SELECT seq, %d, .*".formatted(StatusCode.of(OutboxStatus.PUBLISHED)),
                    Point.BEFORE_SETTLE,
                    Point.DURING_SETTLE),
            new Statement("UPDATE outbox_queue SET status = \\?.*", null, Point.DURING_RETRY),
            new Statement("UPDATE outbox_partition SET leased_until = s.*", null, Point.LEASE_RENEWAL),
            new Statement("UPDATE outbox_queue SET available_at = NULL.*", null, Point.PROMOTION),
            new Statement("SELECT seq FROM outbox_delivery WHERE settled_at .* FOR UPDATE.*", Point.PURGE_FOUND, null),
            new Statement("DELETE FROM outbox_message .*", null, Point.PURGE),
            new Statement("INSERT INTO outbox_queue \\(seq, queue_id, requeued_at.*", null, Point.REPLAY),
            new Statement(
                    "INSERT INTO outbox_delivery .* SELECT seq, %d, .*"
                            .formatted(StatusCode.of(OutboxStatus.DISCARDED)),
                    null,
                    Point.DISCARD));

    /** Counts the messages that wait, for delivery or for an operator. A probe's row has a negative sequence. */
    static final String WAITING = "SELECT count(*) FROM outbox_queue WHERE seq > 0";

    /** Describes some pending messages, for the message of a failure. */
    static final String WAITING_EXAMPLES =
            "SELECT concat_ws(' ', seq, payload, q.status, attempts, queue_id, last_error)"
                    + " FROM outbox_queue q LEFT JOIN outbox_message USING (seq) WHERE seq > 0 ORDER BY seq LIMIT 20";

    static final String WAITING_PAYLOADS =
            "SELECT payload FROM outbox_queue q JOIN outbox_message USING (seq) WHERE queue_id > 0";

    /**
     * The payloads of the pending messages that can be locked. The other pending ones are in doubt or being delivered.
     */
    static final String WAITING_AND_FREE = WAITING_PAYLOADS + " FOR UPDATE OF q SKIP LOCKED";

    /** Describes each message that is not in exactly one of the queue and the deliveries, and each row there without one. */
    static final String MISPLACED = """
            SELECT concat_ws(' ', seq, payload, 'queue', q.queue_id, 'delivery', d.status)
            FROM outbox_message m FULL JOIN outbox_queue q USING (seq) FULL JOIN outbox_delivery d USING (seq)
            WHERE seq > 0 AND (m.message_id IS NULL OR (q.queue_id IS NULL) = (d.status IS NULL))""";

    /** The numbers of the partitions of a destination that no claim holds. */
    static final String FREE_PARTITIONS = "SELECT partition_no - 2 FROM outbox_partition WHERE destination = '%s'"
            + " AND partition_no BETWEEN 2 AND 4093 AND (leased_until IS NULL OR leased_until <= now()) FOR UPDATE SKIP LOCKED";

    private Points() {}

    /** The partition of a key, computed as the documents describe. */
    static int partition(String key, int partitions) {
        CRC32 crc = new CRC32();
        crc.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % partitions);
    }

    /** The point right before the execution of a statement; null for none. */
    static Point before(String sql) {
        Statement statement = of(sql);
        return statement == null ? null : statement.before;
    }

    /** The point right after the execution of a statement, while its transaction is open; null for none. */
    static Point after(String sql) {
        Statement statement = of(sql);
        return statement == null ? null : statement.after;
    }

    private static Statement of(String sql) {
        return STATEMENTS.stream()
                .filter(statement -> statement.pattern.matcher(sql).matches())
                .findFirst()
                .orElse(null);
    }

    /** The point right before the commit of a branch; null for none. */
    static Point beforeCommit(Branch.Role role, boolean onePhase) {
        return role == Branch.Role.BROKER && !onePhase ? Point.COMMIT_LOGGED : null;
    }

    /** The point right after the commit of a branch. */
    static Point afterCommit(Branch.Role role, boolean onePhase) {
        if (role == Branch.Role.BROKER) {
            return Point.BETWEEN_COMMITS;
        }
        return onePhase ? Point.BUSINESS_COMMITTED : Point.BOTH_COMMITTED;
    }

    /** The point right after the prepare of a branch. */
    static Point afterPrepare(Branch.Role role) {
        return role == Branch.Role.BROKER ? Point.BETWEEN_PREPARES : Point.BOTH_PREPARED;
    }

    private record Statement(Pattern pattern, Point before, Point after) {
        Statement(String pattern, Point before, Point after) {
            this(Pattern.compile(pattern, Pattern.DOTALL), before, after);
        }
    }
}
