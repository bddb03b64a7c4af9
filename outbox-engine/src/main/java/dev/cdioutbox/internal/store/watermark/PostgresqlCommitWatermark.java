package dev.cdioutbox.internal.store.watermark;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Set;

import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * The commit watermark: the sequence up to which all inserting transactions have ended, so that later reads see all rows up
 * to it.
 *
 * <p>An observation notes the last number that the sequence has given, and the open transactions that have got a number.
 * {@code pg_locks} shows these: a transaction locks the table and the sequence object before it gets its first number, and keeps
 * both locks to its end, and through a crash if it is prepared. The number of one observation becomes the watermark when the
 * transactions of the next one have ended, and what was written by then is on disk:
 *
 * <pre>
 *   observation            1st      2nd                              3rd
 *   last number            500      510                              530
 *   open transactions      T1       T1 T2                            T3
 *   candidate              none     500, until T1 and T2 have ended  510, until T3 has ended
 *   commit watermark       0        0                                500
 * </pre>
 *
 * <p>Whoever has a number up to 500 got it before the first observation, so at the second one it has ended or is among T1 and T2.
 * At the third one these have ended, and no further message can appear up to 500. The transactions of the first observation
 * would not do, because one that got its number between the two looks of an observation would be missed.
 *
 * <p>One thread at a time may observe; any thread may read the sequence.
 */
final class PostgresqlCommitWatermark {
    /** Only inserting transactions lock both: a dump locks the sequence only, and a settling transaction the table only. */
    private final String observe;

    private Observation last;
    /** The sequence of an observation with the transactions of the next one. */
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

    /** @return false if the observation does not continue the last one */
    boolean observed(Observation now) {
        if (last != null && !now.continues(last)) {
            sequence = 0;
            candidate = null;
            last = now;
            return false;
        }
        adoptCandidate(now);
        if (candidate == null && last != null) {
            candidate = now.withSequence(last.sequence());
            adoptCandidate(now);
        }
        last = now;
        return true;
    }

    private void adoptCandidate(Observation now) {
        if (candidate != null && now.isAfter(candidate)) {
            sequence = candidate.sequence();
            candidate = null;
        }
    }

    /** The commit watermark; 0 before the second observation. */
    long sequence() {
        return sequence;
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

        /** Whether it is the same server, whose sequence has not gone back. */
        boolean continues(Observation before) {
            return server == before.server && sequence >= before.sequence;
        }

        /**
         * Whether all writers have ended, and what was written by then is on disk. Otherwise the database could give the same
         * numbers again after a crash.
         */
        boolean isAfter(Observation before) {
            return Collections.disjoint(before.writers, writers) && flushed >= before.written;
        }
    }
}
