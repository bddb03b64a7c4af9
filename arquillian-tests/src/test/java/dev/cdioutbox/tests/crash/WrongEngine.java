package dev.cdioutbox.tests.crash;

/**
 * Variants of the engine that are wrong on purpose. Each is made at the edges of a right engine, by other SQL or in another
 * order of calls, so that production code has no switch for it.
 */
enum WrongEngine {
    /** The broker gets a message when its row is settled already. */
    SETTLE_BEFORE_SEND,
    /** The database commits before the broker. */
    COMMIT_ORDER_REVERSED,
    /** The insert commits on its own. */
    CAPTURE_OUTSIDE_THE_TRANSACTION,
    /** A commit wakes up nothing. */
    WAKE_UP_LOST,
    /** A claim does not notice rows in doubt. */
    NO_LOCK_PROBE {
        @Override
        String rewrite(String sql) {
            return sql.startsWith("SELECT seq FROM outbox_message WHERE COALESCE") ? sql.replace(LOCK, "") : sql;
        }
    },
    /** Two nodes take one partition. */
    CLAIM_WITHOUT_LOCK {
        @Override
        String rewrite(String sql) {
            return sql.startsWith("SELECT p.id") ? sql.replace(LOCK, "") : sql;
        }
    },
    /** A node whose lease ran out settles by id alone, and re-queues messages that are settled already. */
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
    /** Messages leave in the order of the clocks of the nodes, which differ by an hour. */
    ORDER_BY_JVM_CLOCK {
        @Override
        String rewrite(String sql) {
            if (sql.startsWith("INSERT INTO outbox_message")
                    && Node.get().name().contains("2")) {
                return replaceOccurrence(sql, 17, "CAST(? AS TIMESTAMPTZ) - INTERVAL '1 hour'");
            }
            return sql.contains("FROM outbox_message m WHERE queue_id = ?")
                    ? sql.replace("ORDER BY queue_id, seq", "ORDER BY queue_id, m.occurred_at")
                    : sql;
        }
    },
    /** A message that failed waits among the delayed ones, and its key is not blocked. */
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
    /** The sweep deletes the rows that it read a moment ago, also those that an operator replayed since. */
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

    private static final String LOCK = " FOR UPDATE SKIP LOCKED";

    /** @param sql of the right engine, in one line */
    String rewrite(String sql) {
        return sql;
    }

    private static String home(String partition) {
        return "(SELECT p.id FROM outbox_partition p WHERE p.application = outbox_message.application"
                + " AND p.destination = outbox_message.destination AND p.partition_no = " + partition + ")";
    }

    private static String replaceOccurrence(String sql, int occurrence, String replacement) {
        int at = -1;
        for (int i = 0; i < occurrence; i++) {
            at = sql.indexOf('?', at + 1);
        }
        return sql.substring(0, at) + replacement + sql.substring(at + 1);
    }
}
