package dev.cdioutbox.internal.store.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.store.cdc.CdcSetup;
import dev.cdioutbox.internal.store.dialect.DatabaseSettings;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;

/**
 * What is wrong with the database, its settings, the DataSources and the rights of their users. Do not call this in a JTA
 * transaction. Thread-safe.
 */
public final class SetupCheck {
    private static final Logger LOG = Logger.getLogger(SetupCheck.class.getName());

    private static final String WHAT = "looking at the database's setup";

    /** Rights that the outbox does without, in every configuration. */
    private static final List<String> NEVER_USED = List.of(
            ("INSERT schema,UPDATE schema,DELETE schema,INSERT message_view,UPDATE message_view,DELETE message_view,"
                            + "DELETE partition,INSERT key_lock,DELETE key_lock,DELETE control,UPDATE audit,DELETE audit,"
                            + "UPDATE audit_message,UPDATE archive,DELETE archive")
                    .split(","));

    /** Asks the function that PostgreSQL itself asks: the owner of a table and a role with BYPASSRLS see each row. */
    private static final String TABLES_WITH_ROW_SECURITY = """
            SELECT c.relname FROM pg_class c WHERE c.oid = ANY (ARRAY[:tables]::regclass[])
              AND row_security_active(c.oid) ORDER BY c.relname""";

    private final StoreConfig config;
    private final Dialect dialect;
    private final SchemaShape shape;
    private final Connections capturing;
    private final Connections dispatching;
    private final CdcSetup cdc;

    /** @param config with the schema's name in the prefix of the tables */
    public SetupCheck(
            StoreConfig config, Dialect dialect, Connections capturing, Connections dispatching, CdcSetup cdc) {
        this.config = config;
        this.dialect = dialect;
        this.capturing = capturing;
        this.dispatching = dispatching;
        this.cdc = cdc;
        shape = new SchemaShape(config.tablePrefix(), dialect);
    }

    /**
     * Refuses connections that come without auto-commit: outside of JTA, each read of the outbox would leave a
     * transaction open. Open Liberty rolls it back with an exception ("unresolved action") that fails the whole call, so
     * nothing would ever be sent.
     */
    public static void requireAutoCommit(Connection connection, String jndi) throws SQLException {
        if (!connection.getAutoCommit()) {
            // A connection in a global transaction refuses this; such a call is another mistake.
            connection.setAutoCommit(true);
            throw OutboxCode.AUTO_COMMIT_OFF.exception(jndi);
        }
    }

    /** @param dispatches whether the dispatcher uses the connection */
    public void warn(Connection connection, boolean dispatches) throws SQLException {
        findings(connection, dispatches).forEach(finding -> LOG.warning(finding.toString()));
    }

    /** What is wrong with the database, the DataSources and their rights. */
    public List<Finding> findings(RetentionConfig retention) {
        boolean isOne = capturing.equals(dispatching);
        List<Finding> found = capturing.withConnection(WHAT, connection -> findings(connection, isOne));
        found.addAll(
                isOne
                        ? capturing.withConnection(WHAT, connection -> missingRights(connection, retention))
                        // Neither of the two users needs all rights.
                        : dispatching.withConnection(WHAT, connection -> findings(connection, true)));
        if (!cdc.destinations().isEmpty()) {
            cdc.finding(cdc.state()).ifPresent(found::add);
        }
        return found;
    }

    /** @param dispatches whether the dispatcher uses the connection: it has to see each message */
    private List<Finding> findings(Connection connection, boolean dispatches) throws SQLException {
        List<Finding> found = new ArrayList<>(SupportedDatabases.findings(dialect, connection));
        if (dispatches && dialect == SupportedDatabases.POSTGRESQL) {
            List<String> tables = JdbcStatement.of(connection, TABLES_WITH_ROW_SECURITY)
                    .set("tables", shape.tables())
                    .list(row -> row.getString(1));
            if (!tables.isEmpty()) {
                found.add(OutboxCode.ROW_SECURITY.finding(String.join(", ", tables)));
            }
        }
        return found;
    }

    private List<Finding> missingRights(Connection connection, RetentionConfig retention) throws SQLException {
        Set<String> unused = new HashSet<>(NEVER_USED);
        unused.add(retention.erases() ? "" : "UPDATE message");
        unused.add(retention.archives() ? "" : "INSERT archive");
        unused.add(config.ordering() == Ordering.STRICT ? "" : "UPDATE key_lock");
        String user = connection.getMetaData().getUserName();
        List<String> grants = shape.missingRights(connection, user, unused);
        return grants.isEmpty()
                ? List.of()
                : List.of(OutboxCode.RIGHTS_MISSING.finding(user, String.join("; ", grants)));
    }

    /**
     * What is wrong with the settings of the database and the sessions.
     *
     * @param maxPayloadBytes the largest payload that the outbox accepts
     */
    public List<Finding> findingsOfSettings(int maxPayloadBytes) {
        return settings().entrySet().stream()
                .flatMap(each -> each.getValue().findings(each.getKey(), maxPayloadBytes).stream())
                .toList();
    }

    /** Whether a crash of the database or its host may take back the last commits, by its settings now. */
    public boolean mayLoseTheLast() {
        return settings().values().stream().anyMatch(DatabaseSettings::mayLoseTheLast);
    }

    /** Whether the database tells if a commit waits for its disk: no finding then means that it does. */
    public boolean tellsDurability() {
        return DatabaseSettings.tellDurability(dialect);
    }

    /** The settings in the sessions of each DataSource, by its name. */
    private Map<String, DatabaseSettings> settings() {
        Map<String, DatabaseSettings> settings = new LinkedHashMap<>();
        settings.put(config.dataSource(), settings(capturing));
        if (!dispatching.equals(capturing)) {
            settings.put(config.dispatchingDataSource(), settings(dispatching));
        }
        return settings;
    }

    private DatabaseSettings settings(Connections connections) {
        return connections.withConnection(
                "looking at the database's settings", connection -> DatabaseSettings.of(connection, dialect));
    }
}
