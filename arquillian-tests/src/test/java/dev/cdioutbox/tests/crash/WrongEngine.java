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
            return sql.startsWith("SELECT seq FROM outbox_queue WHERE COALESCE(queue_id, 0) > 0 AND seq IN")
                    ? sql.replace(" FOR UPDATE SKIP LOCKED", "")
                    : sql;
        }
    },
    /** Two nodes claim one partition. */
    CLAIM_WITHOUT_LOCK {
        @Override
        String rewrite(String sql) {
            return sql.startsWith("WITH claimable AS") ? sql.replace(" FOR UPDATE OF p SKIP LOCKED", "") : sql;
        }
    },
    /** A node with an expired lease settles by id alone, and re-queues messages that another node has settled. */
    UNFENCED_SETTLE {
        @Override
        String rewrite(String sql) {
            if (sql.startsWith("SELECT id FROM outbox_partition WHERE owner = ?")) {
                return sql.replace("owner = ?", "(owner = ? OR TRUE)");
            }
            return SETTLEMENT.matcher(sql).replaceFirst("""
                    WITH listed AS (SELECT DISTINCT unnest(ARRAY[$1]) AS seq),
                      settled AS (
                        DELETE FROM outbox_queue WHERE seq IN (SELECT seq FROM listed) RETURNING seq, attempts, last_error),
                      again AS (
                        INSERT INTO outbox_queue (seq, queue_id)
                        SELECT l.seq, (SELECT m.partition_id FROM outbox_message m WHERE m.seq = l.seq)
                        FROM listed l WHERE l.seq NOT IN (SELECT seq FROM settled)
                        RETURNING seq, attempts, last_error)
                    $2 (SELECT * FROM settled UNION ALL SELECT * FROM again) s
                    ON CONFLICT (seq) DO UPDATE SET settled_at = EXCLUDED.settled_at""");
        }
    },
    /** A batch has the order of the nodes' clocks, which differ by an hour. */
    ORDER_BY_JVM_CLOCK {
        @Override
        String rewrite(String sql) {
            if (sql.startsWith("WITH inserted AS (INSERT INTO outbox_message")
                    && Node.get().name().contains("2")) {
                return OCCURRED_AT.matcher(sql).replaceAll("$1 - INTERVAL '1 hour'$2");
            }
            return sql.startsWith("SELECT r.* FROM (VALUES")
                    ? sql.replace("ORDER BY q.queue_id, q.seq", "ORDER BY q.queue_id, m.occurred_at")
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
            return sql.startsWith("UPDATE outbox_queue SET status = ?")
                    ? sql.replace(
                            "queue_id = ?",
                            "queue_id = (SELECT CASE WHEN n.id > 0 THEN " + DELAYED
                                    + " ELSE n.id END FROM (SELECT CAST(? AS BIGINT) AS id) n)")
                    : sql;
        }
    },
    /** Each node has a transactional id of its own. */
    NO_FENCING,
    /** The marker is committed after its batch. */
    MARKER_APART,
    /** Kafka commits after the settlement. */
    SETTLE_BEFORE_COMMIT,
    /** A handler works outside of the transaction that settles its message. */
    WORK_OUTSIDE_THE_TRANSACTION,
    /**
     * A received message is stored in a transaction of its own, and not in that of its acknowledgement; a copy is not
     * recognized.
     */
    ACCEPT_APART {
        @Override
        String rewrite(String sql) {
            if (sql.startsWith("INSERT INTO outbox_inbox (")) {
                return sql.replace("(?, ?, ?,", "(?, ?, concat(?, gen_random_uuid()),");
            }
            return sql.equals("SELECT seq FROM outbox_message WHERE message_id = ?") ? sql + " AND FALSE" : sql;
        }
    },
    /** The inbox notes a key without a lock, and not how far it has come. */
    KEY_NOT_LOCKED {
        @Override
        String rewrite(String sql) {
            return sql.startsWith("UPDATE outbox_inbox_key SET last_sequence = ?") ? """
                    INSERT INTO outbox_inbox_key (last_sequence, last_stored_at, application, consumer, message_key, received_at)
                    SELECT ?, CAST(? AS TIMESTAMPTZ), ?, ?, concat(CAST(? AS TEXT), gen_random_uuid()), statement_timestamp()
                    WHERE CAST(? AS BIGINT) IS NOT NULL""" : sql;
        }
    },
    /** The purge deletes the rows that it has read, even if an operator has replayed them since. */
    PURGE_WITHOUT_RECHECK {
        @Override
        String rewrite(String sql) {
            return sql.replace(
                    "SELECT seq FROM outbox_delivery WHERE settled_at",
                    "SELECT seq FROM outbox_message WHERE created_at");
        }
    };

    /** The value of this column in each row of an insert; that of {@code created_at} follows. */
    private static final Pattern OCCURRED_AT =
            Pattern.compile("(?<!COALESCE\\()(CAST\\(\\? AS TIMESTAMPTZ\\))(, statement_timestamp\\(\\))");

    /** The queue of the delayed messages of the destination of a row: the same partition's id with another number. */
    private static final String DELAYED =
            "(SELECT m.partition_id / 4096 * 4096 + 4094 FROM outbox_message m WHERE m.seq = outbox_queue.seq)";

    /** The list of the published messages, and the INSERT of their deliveries up to FROM. */
    private static final Pattern SETTLEMENT = Pattern.compile("WITH settled AS \\( DELETE FROM outbox_queue"
            + " WHERE COALESCE\\(queue_id, 0\\) > 0 AND seq IN \\(([^)]*)\\) RETURNING [^)]*\\)"
            + " (INSERT INTO outbox_delivery .* SELECT seq, 3, .* FROM) settled");

    /** @param sql a statement of the right engine, in one line */
    String rewrite(String sql) {
        return sql;
    }
}
