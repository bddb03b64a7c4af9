package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The transactions on PostgreSQL that have a sequence and may still commit. A transaction locks the table, and then the
 * sequence object, before it takes its first number, and until it ends. Prepared transactions keep these locks, even
 * through a crash.
 */
final class InFlightInserts {
    /** A transaction without an id yet. */
    static final String UNKNOWN = "?";

    /**
     * PostgreSQL logs 32 sequence numbers in advance, and shows the last of them meanwhile; a transaction that takes
     * one of those numbers is observed later. One more, since the number logged with them is not in the log yet.
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

    /**
     * Two statements in this order: a transaction that took a number up to the first result is among the transactions
     * of the second.
     */
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
     * Only transactions that locked the table before the sequence insert messages; a dump, for instance, locks the
     * sequence only.
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
     * One observation.
     *
     * @param server the start time of the server, which identifies it
     * @param last a sequence that was given out, nearly the last one
     * @param written the position up to which the log was written after that
     * @param flushed the position up to which the log is on disk
     * @param single whether sequences are given out one by one; else sessions cache them
     * @param writers the ids of transactions that have a sequence and have not ended, or {@link #UNKNOWN}
     */
    record InFlightSnapshot(long server, long last, long written, long flushed, boolean single, Set<String> writers) {
        InFlightSnapshot {
            writers = Set.copyOf(writers);
        }
    }
}
