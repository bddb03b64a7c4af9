package dev.cdioutbox.internal.store.cdc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Cdc;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxOperations;

/** The publication and the replication slot by which change data capture sends messages. */
public final class CdcSetup {
    private static final Set<String> COLUMNS =
            MessageColumn.PUBLICATION.stream().map(MessageColumn::column).collect(Collectors.toSet());

    /** Resolves one name only: of the schemas that a query would compare, an ordinary user may not use pg_toast. */
    public static final String STATE = """
            SELECT current_setting('wal_level') AS wal_level,
              p.pubinsert AND NOT (p.pubupdate OR p.pubdelete OR p.pubtruncate) AS inserts_only,
              array_to_string(t.attnames, ',') AS columns, t.rowfilter AS filter, s.active, s.wal_status,
              pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS written, pg_wal_lsn_diff(s.confirmed_flush_lsn, '0/0') AS confirmed
            FROM (SELECT CAST(:slot AS TEXT) AS name) n LEFT JOIN pg_publication p ON p.pubname = n.name
              LEFT JOIN pg_publication_tables t ON t.pubname = n.name
                AND (t.schemaname, t.tablename) = (SELECT m.nspname, c.relname
                  FROM pg_class c JOIN pg_namespace m ON m.oid = c.relnamespace WHERE c.oid = to_regclass('{message}'))
              LEFT JOIN pg_replication_slots s ON s.slot_name = n.name AND s.database = current_database()""";

    private static final Map<Dialect, String> UNSUPPORTED = Map.of(
            SupportedDatabases.H2,
            "it has no log that others can read",
            SupportedDatabases.MARIADB,
            "its log has the rows of an XA transaction once that is prepared, and keeps them if it is rolled back");

    private final Connections connections;
    private final StoreConfig config;
    private final Cdc cdc;
    private final Sql sql;
    private final CapturedTopics topics;

    public CdcSetup(Connections connections, StoreConfig config, Sql sql, CapturedTopics topics) {
        this.topics = topics;
        this.connections = connections;
        this.config = config;
        this.cdc = config.cdc();
        this.sql = sql;
    }

    /** The destinations that it sends. */
    public Set<String> destinations() {
        return cdc.destinations();
    }

    /** Whose messages these are: others may be in the same tables. */
    public String application() {
        return config.application();
    }

    /** What Kafka takes, for those who have asked it. */
    public CapturedTopics topics() {
        return topics;
    }

    /** The name of the slot. */
    public String slot() {
        return cdc.slot();
    }

    /**
     * Refuses change data capture that would lose, reorder or ignore something. Do not call this in a JTA transaction.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0332, OBX-0333 or OBX-0334
     */
    public void require() {
        if (cdc.destinations().isEmpty()) {
            return;
        }
        connections.withConnection("looking at change data capture", connection -> {
            String unsupported = unsupported(connection);
            if (unsupported != null) {
                throw OutboxCode.CDC_UNSUPPORTED.exception(
                        cdc.destinations(), connection.getMetaData().getDatabaseProductName(), unsupported);
            }
            String problem = problem(state(connection));
            if (problem != null) {
                throw OutboxCode.CDC_SETUP.exception(cdc.destinations(), problem);
            }
            requireNothingHeld(connection);
            return null;
        });
    }

    /** Why the database cannot do it; null if it can. A publication needs a filter and a list of columns. */
    private String unsupported(Connection connection) throws SQLException {
        if (sql.dialect() != SupportedDatabases.POSTGRESQL) {
            return UNSUPPORTED.getOrDefault(sql.dialect(), "nobody has tried it");
        }
        return connection.getMetaData().getDatabaseMajorVersion() < 15 ? "its publications cannot filter rows" : null;
    }

    /** What waits in a queue would be overtaken, and later nobody would send it. */
    private void requireNothingHeld(Connection connection) throws SQLException {
        String waiting = sql.of("""
                SELECT COUNT(*) FROM {queue} q JOIN {message} m ON m.seq = q.seq
                WHERE {is pending} AND m.application = :application AND m.destination IN (:destinations)""");
        Long count = JdbcStatement.of(connection, waiting)
                .set("application", config.application())
                .set("destinations", cdc.destinations())
                .number();
        if (count > 0) {
            throw OutboxCode.CDC_TOO_EARLY.exception(cdc.destinations(), count + " message(s) wait for the dispatcher");
        }
        Set<String> names = new TreeSet<>(cdc.destinations());
        names.add(OutboxOperations.ALL);
        String paused = sql.of("""
                SELECT destination FROM {control}
                WHERE application = :application AND paused = 1 AND destination IN (:destinations)""");
        List<String> found = JdbcStatement.of(connection, paused)
                .set("application", config.application())
                .set("destinations", names)
                .list(row -> row.getString(1));
        if (!found.isEmpty()) {
            throw OutboxCode.CDC_TOO_EARLY.exception(cdc.destinations(), found + " is paused");
        }
    }

    /** Why messages would be lost, or others sent. */
    public Optional<Finding> finding(CdcState state) {
        return Optional.ofNullable(problem(state))
                .map(found -> OutboxCode.CDC_SETUP.finding(cdc.destinations(), found));
    }

    private String problem(CdcState state) {
        return state.problem(config.application(), cdc.slot(), COLUMNS);
    }

    /** What the database says now. */
    public CdcState state() {
        return connections.withConnection("looking at the replication slot", this::state);
    }

    private CdcState state(Connection connection) throws SQLException {
        return JdbcStatement.of(connection, sql.of(STATE))
                .set("slot", cdc.slot())
                .first(row -> {
                    String columns = row.getString("columns");
                    return new CdcState(
                            row.getString("wal_level"),
                            row.getObject("inserts_only", Boolean.class),
                            columns == null ? null : Set.of(columns.split(",")),
                            row.getString("filter"),
                            row.getObject("active", Boolean.class),
                            row.getString("wal_status"),
                            row.getLong("written"),
                            row.getBigDecimal("confirmed") == null ? null : (Long) row.getLong("confirmed"));
                });
    }
}
