package dev.cdioutbox.internal.store.watermark;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Set;

import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * The sequence up to which all inserting transactions have ended, so that later reads see all rows up to it.
 *
 * <p>A transaction locks the table and the sequence object before it gets its first number. It keeps both locks to its end,
 * and through a crash if it is prepared, so {@code pg_locks} shows each open transaction that has a number. An observation
 * notes the last assigned number, and a later one looks for the open transactions. For example, the first notes 500, and
 * the second sees T1 and T2. Whoever inserted a message up to 500 is T1, T2, or has ended; so when T1 and T2 have ended, no
 * further message can appear up to 500. In the reverse order, a transaction could insert between the two looks, and be
 * missed.
 *
 * <p>One thread at a time may observe; any thread may read the sequence.
 */
final class PostgresqlCommitWatermark {
    /**
     * Only inserting transactions lock both: a dump locks the sequence only, and a settling transaction the table only.
     */
    private final String observe;

    private Observation last;
    private Observation candidate;
    private volatile long sequence;

    PostgresqlCommitWatermark(Sql sql) {
        observe = sql.of("""
                SELECT CASE WHEN has_sequence_privilege(o.sequence, 'SELECT')
                    THEN COALESCE(pg_sequence_last_value(o.sequence), 0) END AS sequence,
                  CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS BIGINT) AS server,
                  CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS BIGINT) AS written,
                  CAST(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') AS BIGINT) AS flushed,
                  (SELECT string_agg(w.ids, ',') FROM (
                    SELECT concat_ws(',', l.virtualtransaction, string_agg(CAST(l.transactionid AS TEXT), ',')) AS ids
                    FROM pg_locks l WHERE l.granted
                      AND (l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock'
                        OR l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.relation IN (o.sequence, o.message)
                          AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
                    GROUP BY l.virtualtransaction HAVING COUNT(DISTINCT l.relation) = 2) w) AS writers
                FROM (SELECT CAST(pg_get_serial_sequence('{message}', 'seq') AS REGCLASS) AS sequence,
                  CAST('{message}' AS REGCLASS) AS message) o""");
    }

    long sequence() {
        return sequence;
    }

    /**
     * @return false if the database may assign sequences twice: after a restore, or on a replica that took over without
     *     the last transactions. Then no watermark is valid
     */
    boolean observe(Connection connection, int timeoutSeconds) throws SQLException {
        return JdbcStatement.of(connection, observe).within(timeoutSeconds).first(row -> {
            long given = row.getLong("sequence");
            if (row.wasNull()) {
                throw new SQLException("no SELECT privilege on the sequence of the messages", "42501");
            }
            String writers = row.getString("writers");
            return observed(new Observation(
                    row.getLong("server"),
                    given,
                    row.getLong("written"),
                    row.getLong("flushed"),
                    writers == null ? Set.of() : Set.of(writers.split(","))));
        });
    }

    /**
     * Combines the sequence with the writers of a later observation: these include each open transaction with a number
     * up to the sequence.
     */
    boolean observed(Observation now) {
        boolean continues = last == null || now.continues(last);
        if (!continues) {
            sequence = 0;
            candidate = null;
        } else if (last != null) {
            adopt(now);
            if (candidate == null) {
                candidate = now.withSequence(last.sequence());
                adopt(now);
            }
        }
        last = now;
        return continues;
    }

    private void adopt(Observation now) {
        if (candidate != null && now.isAfter(candidate)) {
            sequence = candidate.sequence();
            candidate = null;
        }
    }

    /**
     * @param server the start time of the server, which identifies it
     * @param sequence the last assigned sequence
     * @param written the end of the written log
     * @param flushed the end of the log on disk
     * @param writers the virtual and real ids of open transactions that have a sequence. A transaction gets a real id
     *     with its first row; a prepared transaction keeps that id
     */
    record Observation(long server, long sequence, long written, long flushed, Set<String> writers) {
        Observation withSequence(long other) {
            return new Observation(server, other, written, flushed, writers);
        }

        boolean continues(Observation before) {
            return server == before.server && sequence >= before.sequence;
        }

        /**
         * Whether all writers have ended and the log is on disk: then the database does not assign the sequence again
         * after a crash.
         */
        boolean isAfter(Observation before) {
            return Collections.disjoint(before.writers, writers) && flushed >= before.written;
        }
    }
}
