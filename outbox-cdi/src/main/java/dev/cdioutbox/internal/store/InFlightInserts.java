package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Who has got a sequence on PostgreSQL and may still commit. A transaction locks the table, and then the sequence object,
 * before it takes the first number, and until it has ended: it keeps these locks when it is prepared, and through a crash.
 */
final class InFlightInserts {
    /** A writer whose transaction has no id yet. */
    static final String UNKNOWN = "?";

    /**
     * By so many numbers a sequence may look to be ahead of what was given out. PostgreSQL logs 32 numbers beforehand, and while
     * it does, it shows the last of them; who takes one of those then is not among the writers who are seen after that. One
     * more, since the number that is logged with them is not in the log yet.
     */
    static final int LOGGED_AHEAD = 33;

    /** One look at all locks: joined with itself, not read several times. */
    private final String holders = """
                WITH held AS MATERIALIZED (SELECT locktype, database, relation, mode, virtualtransaction, transactionid
                  FROM pg_locks WHERE granted AND locktype IN ('relation', 'transactionid')),
                here AS (SELECT relation, virtualtransaction FROM held
                  WHERE locktype = 'relation' AND mode NOT IN ('AccessShareLock', 'RowShareLock')
                    AND database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
                SELECT CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS BIGINT) AS written,
                  CAST(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') AS BIGINT) AS flushed,
                  CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS BIGINT) AS server,
                  (SELECT s.seqincrement FROM pg_sequence s
                    WHERE s.seqrelid = CAST(? AS REGCLASS) AND s.seqcache = 1 AND s.seqincrement > 0) AS step,
                  (SELECT string_agg(COALESCE(CAST(t.transactionid AS TEXT), '?'), ',') FROM here s
                    JOIN here m ON m.relation = CAST(? AS REGCLASS) AND m.virtualtransaction = s.virtualtransaction
                    LEFT JOIN held t ON t.locktype = 'transactionid' AND t.mode = 'ExclusiveLock'
                      AND t.virtualtransaction = s.virtualtransaction
                    WHERE s.relation = CAST(? AS REGCLASS)) AS writers""";

    private final String name;
    private final String table;
    private volatile String sequence;

    InFlightInserts(String prefix) {
        this.table = prefix + "message";
        this.name = "SELECT pg_get_serial_sequence('%s', 'seq')".formatted(table);
    }

    /** Two statements, the order of which matters: who took a number up to that in the first is among those seen after it. */
    InFlightSnapshot observe(Connection connection) throws SQLException {
        if (sequence == null) {
            sequence = name(connection);
        }
        try {
            return observe(connection, last(connection));
        } catch (SQLException e) {
            // It may have got another name.
            sequence = null;
            throw e;
        }
    }

    private String name(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(name);
                ResultSet row = select.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    private long last(Connection connection) throws SQLException {
        String last = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM " + sequence;
        try (PreparedStatement select = connection.prepareStatement(last);
                ResultSet row = select.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * Who inserts has locked the table before the sequence. Others may have locked the sequence too, and for long: a dump, who
     * looks at pg_sequences.
     */
    private InFlightSnapshot observe(Connection connection, long last) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(holders)) {
            select.setString(1, sequence);
            select.setString(2, table);
            select.setString(3, sequence);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                long step = row.getLong("step");
                String writers = row.getString("writers");
                return new InFlightSnapshot(
                        row.getLong("server"),
                        Math.max(0, last - LOGGED_AHEAD * step),
                        row.getLong("written"),
                        row.getLong("flushed"),
                        step > 0,
                        writers == null ? Set.of() : new HashSet<>(List.of(writers.split(","))));
            }
        }
    }

    /**
     * What was seen.
     *
     * @param server when the server was started, which tells it from another one with the same data
     * @param last a sequence that was given out, nearly the last one
     * @param written how far the log was written after that
     * @param flushed how far it is on disk
     * @param single whether sequences are given out one by one; else sessions keep some, to give them out whenever they like
     * @param writers the ids of transactions that were given a sequence and have not ended, or {@link #UNKNOWN}
     */
    record InFlightSnapshot(long server, long last, long written, long flushed, boolean single, Set<String> writers) {
        InFlightSnapshot {
            writers = Set.copyOf(writers);
        }
    }
}
