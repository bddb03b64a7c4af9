package dev.cdioutbox.tests.crash;

import java.util.regex.Pattern;

/**
 * Engines that are wrong on purpose. Each one rewrites SQL or reorders calls at the edges of the right engine, so that
 * production code needs no switch.
 */
enum WrongEngine {
    /** The broker gets a message after the settle of its row. */
    SETTLE_BEFORE_SEND,
    /** The database commits before the broker. */
    COMMIT_ORDER_REVERSED,
    /** The insert commits in a transaction of its own. */
    CAPTURE_OUTSIDE_THE_TRANSACTION,
    /** A commit wakes no worker. */
    WAKE_UP_LOST,
    /** A claim does not detect rows in doubt. */
    NO_LOCK_PROBE {
        @Override
        String rewrite(String sql) {
            return sql.startsWith("SELECT seq FROM outbox_message WHERE COALESCE")
                    ? sql.replace(" FOR UPDATE SKIP LOCKED", "")
                    : sql;
        }
    },
    /** Two nodes claim one partition. */
    CLAIM_WITHOUT_LOCK {
        @Override
        String rewrite(String sql) {
            return sql.startsWith("WITH claimable AS (SELECT p.id")
                    ? sql.replace(" FOR UPDATE OF p SKIP LOCKED", "")
                    : sql;
        }
    },
    /** A node with an expired lease settles by id alone, and re-queues messages that another node has settled. */
    UNFENCED_SETTLE {
        @Override
        String rewrite(String sql) {
            if (sql.startsWith("SELECT id FROM outbox_partition WHERE owner = ?")) {
                return sql.replace("owner = ?", "(owner = ? OR TRUE)");
            }
            return sql.startsWith("UPDATE outbox_message SET status = 'PUBLISHED'")
                    ? sql.replace(
                                    "status = 'PUBLISHED'",
                                    "status = CASE WHEN queue_id > 0 THEN 'PUBLISHED' ELSE 'FAILED' END")
                            .replace(
                                    "queue_id = NULL",
                                    "queue_id = CASE WHEN queue_id > 0 THEN NULL ELSE "
                                            + home("outbox_message.partition_no") + " END")
                            .replace("COALESCE(queue_id, 0) > 0 AND", "")
                    : sql;
        }
    },
    /** A batch has the order of the nodes' clocks, which differ by an hour. */
    ORDER_BY_JVM_CLOCK {
        @Override
        String rewrite(String sql) {
            if (sql.startsWith("INSERT INTO outbox_message")
                    && Node.get().name().contains("2")) {
                return OCCURRED_AT.matcher(sql).replaceAll("$1 - INTERVAL '1 hour'$2");
            }
            return sql.contains("q.queue")
                    ? sql.replace("ORDER BY m.queue_id, m.seq", "ORDER BY m.queue_id, m.occurred_at")
                    : sql;
        }
    },
    /** A failed message waits among the delayed ones, and its key is not blocked. */
    RETRY_LETS_FOLLOWERS_PASS {
        @Override
        String rewrite(String sql) {
            if (sql.startsWith("INSERT INTO outbox_blocked_key")) {
                return sql.replace("CAST(? AS BIGINT) *", "0 * CAST(? AS BIGINT) *");
            }
            return sql.startsWith("UPDATE outbox_message SET status = ?")
                    ? sql.replace(
                            "queue_id = ?", "queue_id = CASE WHEN CAST(? AS BIGINT) > 0 THEN " + home("-1") + " END")
                    : sql;
        }
    },
    /** The sweep deletes the rows that it has read, even if an operator has replayed them since. */
    SWEEP_WITHOUT_RECHECK {
        @Override
        String rewrite(String sql) {
            if (sql.startsWith("SELECT seq FROM outbox_message WHERE application = ?")) {
                return sql.replace("(queue_id IS NULL AND status IN", "(TRUE OR queue_id IS NULL AND status IN");
            }
            return sql.startsWith("DELETE FROM outbox_message")
                    ? sql.replace("(queue_id IS NULL OR queue_id < 0) AND", "")
                    : sql;
        }
    };

    /** The value of this column in each row of an insert; that of {@code created_at} follows. */
    private static final Pattern OCCURRED_AT =
            Pattern.compile("(?<!COALESCE\\()(CAST\\(\\? AS TIMESTAMPTZ\\))(, statement_timestamp\\(\\))");

    /** @param sql a statement of the right engine, in one line */
    String rewrite(String sql) {
        return sql;
    }

    private static String home(String partition) {
        return "(SELECT p.id FROM outbox_partition p WHERE p.application = outbox_message.application"
                + " AND p.destination = outbox_message.destination AND p.partition_no = " + partition + ")";
    }
}
