package dev.cdioutbox.tests.crash;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Maps calls at the edges of the engine to named points: a statement by its verb and table, a branch by its phase.
 * Except for {@link WrongEngine}, only this class knows the engine's statements.
 */
final class Points {
    private static final List<Statement> STATEMENTS = List.of(
            new Statement("CREATE TABLE.*", Point.SCHEMA_CREATION, null),
            // Not those of a probe's row.
            new Statement("INSERT INTO outbox_message \\((?!status).*", Point.BEFORE_INSERT, Point.AFTER_INSERT),
            new Statement(
                    "(WITH claimable AS \\()?SELECT p\\.id, CASE.* FROM outbox_partition p .*",
                    Point.BEFORE_CLAIM,
                    null),
            new Statement(".* FROM outbox_message m WHERE .*q\\.queue.*", Point.AFTER_CLAIM, Point.MESSAGES_READ),
            new Statement("UPDATE outbox_message SET status = 'PUBLISHED'.*", Point.BEFORE_SETTLE, Point.DURING_SETTLE),
            new Statement("UPDATE outbox_message SET status = \\?.*", null, Point.DURING_RETRY),
            new Statement("UPDATE outbox_partition SET leased_until = s.*", null, Point.LEASE_RENEWAL),
            new Statement("UPDATE outbox_message SET available_at = NULL.*", null, Point.PROMOTION),
            new Statement(
                    "SELECT seq FROM outbox_message WHERE application = .* FOR UPDATE.*", Point.SWEEP_FOUND, null),
            new Statement("DELETE FROM outbox_message WHERE (?!application).*", null, Point.SWEEP),
            new Statement("UPDATE outbox_message SET status = 'PENDING', attempts = 0.*", null, Point.REPLAY),
            new Statement("UPDATE outbox_message SET status = 'DISCARDED'.*", null, Point.DISCARD));

    /** Counts the pending messages, whatever they wait for. */
    static final String WAITING = "SELECT count(*) FROM outbox_message WHERE queue_id > 0";

    /** Describes some pending messages, for the message of a failure. */
    static final String WAITING_EXAMPLES =
            "SELECT seq || ' ' || payload || ' ' || status || ' ' || attempts || ' ' || queue_id || ' ' || coalesce(last_error, '')"
                    + " FROM outbox_message WHERE queue_id > 0 ORDER BY seq LIMIT 20";

    /**
     * The payloads of the pending messages that can be locked. The other pending ones are in doubt or being delivered.
     */
    static final String WAITING_AND_FREE =
            "SELECT payload FROM outbox_message WHERE queue_id > 0 FOR UPDATE SKIP LOCKED";

    static final String WAITING_PAYLOADS = "SELECT payload FROM outbox_message WHERE queue_id > 0";

    /** The numbers of the partitions that no claim holds. */
    static final String FREE_PARTITIONS = "SELECT partition_no FROM outbox_partition WHERE destination = 'default'"
            + " AND partition_no >= 0 AND (leased_until IS NULL OR leased_until <= now()) FOR UPDATE SKIP LOCKED";

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
