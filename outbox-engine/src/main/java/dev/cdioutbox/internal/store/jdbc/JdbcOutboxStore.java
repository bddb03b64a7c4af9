package dev.cdioutbox.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.logging.Logger;
import javax.sql.DataSource;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.store.CaptureStore;
import dev.cdioutbox.internal.store.CapturedTopics;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.NodeStore;
import dev.cdioutbox.internal.store.ProbeStore;
import dev.cdioutbox.internal.store.admin.AuditTable;
import dev.cdioutbox.internal.store.admin.ControlTable;
import dev.cdioutbox.internal.store.admin.MessageFinder;
import dev.cdioutbox.internal.store.admin.OperatorStore;
import dev.cdioutbox.internal.store.backlog.BacklogReader;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.claim.MessageClaimer;
import dev.cdioutbox.internal.store.dialect.DatabaseSettings;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.schema.SchemaSetup;
import dev.cdioutbox.internal.store.schema.SchemaShape;
import dev.cdioutbox.internal.store.settle.JdbcPendingRows;
import dev.cdioutbox.internal.store.settle.JdbcProbeStore;
import dev.cdioutbox.internal.store.settle.PendingRows;
import dev.cdioutbox.internal.store.settle.MessagePurge;
import dev.cdioutbox.internal.store.settle.RetryWriter;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.internal.store.settle.SettlementWriter;
import dev.cdioutbox.internal.store.settle.UnsentWriter;
import dev.cdioutbox.internal.store.sql.BlockedKeyTable;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.DeliveryTable;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageInsert;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.PartitionSetup;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * The opened tables of an outbox: for each kind of caller, the class that has its SQL. Capture, operators, consumers and the
 * check of the tables use the application's DataSource, the others that of dispatch. Thread-safe.
 *
 * @param dispatching the connections of dispatch
 * @param texts whether the DataSource of dispatch keeps each letter
 * @param finder what operators read
 * @param operations what operators change
 * @param backfills what operators start, and dispatch continues
 * @param cdc what sends messages in place of dispatch
 */
public record JdbcOutboxStore(
        Opened opened,
        Connections dispatching,
        CaptureStore capture,
        ClaimStore claims,
        DelayedMessages delayed,
        SettlementStore settlements,
        PendingRows pendingRows,
        ProbeStore probes,
        NodeStore nodes,
        TextRoundTrip texts,
        BacklogReader status,
        Purge purge,
        JdbcInbox inbox,
        TableCheck tableCheck,
        MessageFinder finder,
        OperatorStore operations,
        BackfillTable backfills,
        CdcSetup cdc) {
    private static final Logger LOG = Logger.getLogger(JdbcOutboxStore.class.getName());

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

    /** @param other the DataSource of dispatch */
    static JdbcOutboxStore of(Opened opened, DataSource other) {
        Connections capturing = new Connections(opened.dataSource);
        Connections dispatching = new Connections(other);
        String application = opened.config.application();
        Dialect dialect = opened.dialect;
        PartitionIds partitions = opened.ids;
        ReadWatermark watermark = opened.watermark;
        Sql sql = new Sql(opened.config.tablePrefix(), dialect, opened.texts);
        AuditTable audit = new AuditTable(capturing, application, sql);
        BlockedKeyTable blockedKeys = new BlockedKeyTable(sql);
        DeliveryTable deliveries = new DeliveryTable(sql, JdbcStatement.LOCK_WAIT_SECONDS);
        RetryWriter retries =
                new RetryWriter(sql, blockedKeys, partitions, deliveries, JdbcStatement.LOCK_WAIT_SECONDS);
        MessagePurge purge = new MessagePurge(application, sql, deliveries, audit);
        CapturedTopics topics = new CapturedTopics(opened.config.cdc().topics());
        MessageInsert newMessages = new MessageInsert(capturing, opened.config, dialect, partitions, topics);
        UnsentWriter unsent = new UnsentWriter(sql, deliveries, retries, purge, newMessages);
        SettlementWriter settlements =
                SettlementWriter.of(dispatching, sql, deliveries, purge, unsent, JdbcStatement.LOCK_WAIT_SECONDS);
        JdbcProbeStore probes =
                new JdbcProbeStore(dispatching, opened.database, sql, settlements, JdbcStatement.LOCK_WAIT_SECONDS);
        MessageFinder finder = new MessageFinder(capturing, application, sql, MessageFinder.ROWS);
        NodeTable nodes = new NodeTable(dispatching, application, sql);
        return new JdbcOutboxStore(
                opened,
                dispatching,
                newMessages,
                new MessageClaimer(dispatching, sql, partitions, watermark),
                new DelayedMessages(dispatching, sql, partitions, watermark),
                settlements,
                new JdbcPendingRows(dispatching, sql),
                probes,
                nodes,
                new TextRoundTrip(dispatching, application, sql),
                new BacklogReader(dispatching, application, sql, watermark),
                new Purge(dispatching, purge, nodes, probes),
                new JdbcInbox(capturing, dispatching, application, sql),
                new TableCheck(capturing, application, sql, opened.destinations, opened.partitions),
                finder,
                new OperatorStore(capturing, opened.config, sql, blockedKeys, deliveries, audit, watermark),
                new BackfillTable(capturing, dispatching, application, sql, partitions, finder, newMessages),
                new CdcSetup(dispatching, opened.config, sql, topics));
    }

    /**
     * Prepares the tables by the configuration and opens the store. Do not call this in a JTA transaction.
     *
     * @throws dev.cdioutbox.OutboxException OBX-03xx if the database is not supported, or the tables are unusable
     */
    public static JdbcOutboxStore open(DataSource dataSource, StoreConfig config, Set<String> destinations) {
        return open(dataSource, config, destinations, System::nanoTime);
    }

    public static JdbcOutboxStore open(
            DataSource dataSource, StoreConfig config, Set<String> destinations, LongSupplier nanos) {
        try (Connection connection = dataSource.getConnection()) {
            requireAutoCommit(connection, config.dataSource());
            Dialect dialect = SupportedDatabases.of(connection);
            SchemaSetup setup = new SchemaSetup(config, dialect);
            setup.prepare(connection);
            String prefix = setup.qualifiedPrefix(connection);
            StoreConfig qualified = config.withTablePrefix(prefix);
            PartitionSetup partitions = new PartitionSetup(qualified, dialect, destinations);
            PartitionIds ids = partitions.prepare(connection);
            new ControlTable(config.application(), new Sql(prefix, dialect)).prepare(connection, destinations);
            String product = SupportedDatabases.product(connection.getMetaData());
            ReadWatermark watermark = ReadWatermark.of(config.application(), new Sql(prefix, dialect), nanos);
            Opened opened = new Opened(
                    dataSource,
                    product,
                    qualified,
                    dialect,
                    DatabaseSettings.of(connection, dialect).texts(),
                    destinations,
                    partitions,
                    ids,
                    watermark);
            // Not before: an opening without tables is repeated.
            log(opened.findings(connection, config.dispatchingDataSource() == null));
            return of(opened, dataSource);
        } catch (SQLException e) {
            throw Connections.failed("opening the outbox in " + config.dataSource(), e);
        }
    }

    /**
     * A store on the same tables whose dispatch, purge and status reads use another DataSource.
     *
     * @param jndi its name
     * @throws dev.cdioutbox.OutboxException OBX-0329 if its connections come without auto-commit
     */
    public JdbcOutboxStore dispatchingOn(DataSource other, String jndi) {
        return new Connections(other).withConnection("looking at the dispatcher's connections", connection -> {
            requireAutoCommit(connection, jndi);
            log(opened.findings(connection, true));
            return of(opened, other);
        });
    }

    private static void log(List<Finding> findings) {
        findings.forEach(finding -> LOG.warning(finding.toString()));
    }

    /** What is wrong with the database's setup, the DataSources and their rights. Do not call this in a JTA transaction. */
    public List<Finding> findings(RetentionConfig retention) {
        String what = "looking at the database's setup";
        Connections capturing = new Connections(opened.dataSource);
        boolean isOne = capturing.equals(dispatching);
        List<Finding> found = capturing.withConnection(what, connection -> opened.findings(connection, isOne));
        found.addAll(
                isOne
                        ? capturing.withConnection(what, connection -> opened.missingRights(connection, retention))
                        // Neither of the two users needs all rights.
                        : dispatching.withConnection(what, connection -> opened.findings(connection, true)));
        if (!cdc.destinations().isEmpty()) {
            cdc.finding(cdc.state()).ifPresent(found::add);
        }
        return found;
    }

    /**
     * What is wrong with the settings of the database and the sessions. Do not call this in a JTA transaction.
     *
     * @param maxPayloadBytes the largest payload that the outbox accepts
     */
    public List<Finding> findingsOfSettings(int maxPayloadBytes) {
        return settings().entrySet().stream()
                .flatMap(each -> each.getValue().findings(each.getKey(), maxPayloadBytes).stream())
                .toList();
    }

    /**
     * Whether a crash of the database or its host may take back the last commits, by its settings now. Do not call this in a
     * JTA transaction.
     */
    public boolean mayLoseTheLast() {
        return settings().values().stream().anyMatch(DatabaseSettings::mayLoseTheLast);
    }

    /** The settings in the sessions of each DataSource, by its name. */
    private Map<String, DatabaseSettings> settings() {
        Map<String, Connections> sources = new LinkedHashMap<>();
        sources.put(opened.config.dataSource(), new Connections(opened.dataSource));
        if (!sources.containsValue(dispatching)) {
            sources.put(opened.config.dispatchingDataSource(), dispatching);
        }
        Map<String, DatabaseSettings> settings = new LinkedHashMap<>();
        sources.forEach((name, source) -> settings.put(
                name,
                source.withConnection(
                        "looking at the database's settings",
                        connection -> DatabaseSettings.of(connection, opened.dialect))));
        return settings;
    }

    /**
     * Refuses connections that come without auto-commit: outside of JTA, each read of the outbox would leave a
     * transaction open. Open Liberty rolls it back with an exception ("unresolved action") that fails the whole call, so
     * nothing would ever be sent.
     */
    private static void requireAutoCommit(Connection connection, String jndi) throws SQLException {
        if (!connection.getAutoCommit()) {
            // A connection in a global transaction refuses this; such a call is another mistake.
            connection.setAutoCommit(true);
            throw OutboxCode.AUTO_COMMIT_OFF.exception(jndi);
        }
    }

    /**
     * Checks that the tables exist and have the shape of this version, and that no message waits where no claim looks.
     * Puts rows of partitions and controls back that were deleted. Do not call this in a JTA transaction.
     *
     * @return the problem, or null
     */
    public String problem() {
        return tableCheck.problem();
    }

    /**
     * What an opening has found out.
     *
     * @param database the database's own name and version
     * @param config with the schema's name in the prefix of the tables
     */
    record Opened(
            DataSource dataSource,
            String database,
            StoreConfig config,
            Dialect dialect,
            ColumnText texts,
            Set<String> destinations,
            PartitionSetup partitions,
            PartitionIds ids,
            ReadWatermark watermark) {

        /** @param dispatching whether the dispatcher uses the connection: it has to see each message */
        List<Finding> findings(Connection connection, boolean dispatching) throws SQLException {
            List<Finding> found = new ArrayList<>(SupportedDatabases.findings(dialect, connection));
            if (dispatching && dialect == SupportedDatabases.POSTGRESQL) {
                List<String> tables = JdbcStatement.of(connection, TABLES_WITH_ROW_SECURITY)
                        .set("tables", new SchemaShape(config.tablePrefix(), dialect).tables())
                        .list(row -> row.getString(1));
                if (!tables.isEmpty()) {
                    found.add(OutboxCode.ROW_SECURITY.finding(String.join(", ", tables)));
                }
            }
            return found;
        }

        List<Finding> missingRights(Connection connection, RetentionConfig retention) throws SQLException {
            Set<String> unused = new HashSet<>(NEVER_USED);
            unused.add(retention.erases() ? "" : "UPDATE message");
            unused.add(retention.archives() ? "" : "INSERT archive");
            unused.add(config.ordering() == Ordering.STRICT ? "" : "UPDATE key_lock");
            String user = connection.getMetaData().getUserName();
            List<String> grants =
                    new SchemaShape(config.tablePrefix(), dialect).missingRights(connection, user, unused);
            return grants.isEmpty()
                    ? List.of()
                    : List.of(OutboxCode.RIGHTS_MISSING.finding(user, String.join("; ", grants)));
        }
    }
}
