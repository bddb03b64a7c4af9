package dev.cdioutbox.internal.store.open;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.store.capture.AcceptedMessages;
import dev.cdioutbox.internal.store.capture.CaptureStore;
import dev.cdioutbox.internal.store.capture.MessageInsert;
import dev.cdioutbox.internal.store.cdc.CapturedTopics;
import dev.cdioutbox.internal.store.cdc.CdcSetup;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.claim.DelayedMessages;
import dev.cdioutbox.internal.store.claim.MessageClaimer;
import dev.cdioutbox.internal.store.inbox.JdbcInbox;
import dev.cdioutbox.internal.store.node.JdbcProbeStore;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.NodeTable;
import dev.cdioutbox.internal.store.node.ProbeStore;
import dev.cdioutbox.internal.store.operate.AuditTable;
import dev.cdioutbox.internal.store.operate.BackfillTable;
import dev.cdioutbox.internal.store.operate.BacklogReader;
import dev.cdioutbox.internal.store.operate.CrashHistory;
import dev.cdioutbox.internal.store.operate.HeldUpKeyCounter;
import dev.cdioutbox.internal.store.operate.MessageFinder;
import dev.cdioutbox.internal.store.operate.OperatorStore;
import dev.cdioutbox.internal.store.purge.MessagePurge;
import dev.cdioutbox.internal.store.purge.Purge;
import dev.cdioutbox.internal.store.schema.SetupCheck;
import dev.cdioutbox.internal.store.schema.TableCheck;
import dev.cdioutbox.internal.store.schema.TextRoundTrip;
import dev.cdioutbox.internal.store.settle.BlockedKeyTable;
import dev.cdioutbox.internal.store.settle.DeliveryTable;
import dev.cdioutbox.internal.store.settle.JdbcPendingRows;
import dev.cdioutbox.internal.store.settle.MessageRemoval;
import dev.cdioutbox.internal.store.settle.PendingRows;
import dev.cdioutbox.internal.store.settle.RetryWriter;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.internal.store.settle.SettlementWriter;
import dev.cdioutbox.internal.store.settle.UnsentWriter;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * The opened tables of an outbox: for each task, the class that has its SQL. Thread-safe.
 *
 * <table>
 * <caption>The classes by their callers, and the DataSource that they use</caption>
 * <tr><th>callers</th><th>classes</th><th>DataSource</th></tr>
 * <tr><td>capture and consumers</td><td>{@code capture}, {@code inbox}, {@code accepted}</td><td>the application's</td></tr>
 * <tr><td>dispatch</td><td>{@code claims}, {@code delayed}, {@code settlements}, {@code pendingRows}, {@code probes},
 *     {@code nodes}, {@code status}, {@code heldUp}, {@code crashes}, {@code purge}, {@code cdc}</td><td>that of dispatch</td></tr>
 * <tr><td>operators</td><td>{@code finder} reads, {@code operations} changes</td><td>the application's</td></tr>
 * <tr><td>operators and dispatch</td><td>{@code backfills}, which operators start and dispatch continues</td><td>both</td></tr>
 * <tr><td>checks</td><td>{@code tableCheck} of the tables, {@code texts} and {@code setup} of what is around them</td>
 *     <td>both</td></tr>
 * </table>
 *
 * @param cdc what sends messages in place of dispatch
 * @param texts whether the DataSource of dispatch keeps each letter
 */
public record JdbcOutboxStore(
        OpenedTables opened,
        CaptureStore capture,
        JdbcInbox inbox,
        AcceptedMessages accepted,
        ClaimStore claims,
        DelayedMessages delayed,
        SettlementStore settlements,
        PendingRows pendingRows,
        ProbeStore probes,
        NodeStore nodes,
        BacklogReader status,
        HeldUpKeyCounter heldUp,
        CrashHistory crashes,
        Purge purge,
        CdcSetup cdc,
        MessageFinder finder,
        OperatorStore operations,
        BackfillTable backfills,
        TableCheck tableCheck,
        TextRoundTrip texts,
        SetupCheck setup) {

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
            SetupCheck.requireAutoCommit(connection, config.dataSource());
            OpenedTables opened = OpenedTables.open(connection, dataSource, config, destinations, nanos);
            JdbcOutboxStore store = of(opened, dataSource);
            // Not before: an opening without tables is repeated.
            store.setup.warn(connection, config.dispatchingDataSource() == null);
            return store;
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
            SetupCheck.requireAutoCommit(connection, jndi);
            JdbcOutboxStore store = of(opened, other);
            store.setup.warn(connection, true);
            return store;
        });
    }

    /** A store on the same tables that has only the DataSource of the application. */
    public JdbcOutboxStore ofTheApplication() {
        return of(opened, opened.dataSource());
    }

    /** @param other the DataSource of dispatch */
    static JdbcOutboxStore of(OpenedTables opened, DataSource other) {
        Connections capturing = new Connections(opened.dataSource());
        Connections dispatching = new Connections(other);
        StoreConfig config = opened.config();
        String application = config.application();
        PartitionIds partitions = opened.ids();
        ReadWatermark watermark = opened.watermark();
        Sql sql = opened.sql();
        AuditTable audit = new AuditTable(capturing, application, sql);
        BlockedKeyTable blockedKeys = new BlockedKeyTable(sql);
        DeliveryTable deliveries = new DeliveryTable(sql, JdbcStatement.LOCK_WAIT_SECONDS);
        CapturedTopics topics = new CapturedTopics(config.cdc().topics());
        MessageInsert newMessages = new MessageInsert(capturing, config, opened.dialect(), partitions, topics);
        RetryWriter retries = new RetryWriter(sql, blockedKeys, partitions, deliveries);
        MessageRemoval removal = new MessageRemoval(sql, deliveries);
        UnsentWriter unsent = new UnsentWriter(sql, deliveries, retries, removal, newMessages);
        SettlementWriter settlements =
                SettlementWriter.of(dispatching, sql, deliveries, removal, unsent, JdbcStatement.LOCK_WAIT_SECONDS);
        JdbcProbeStore probes = new JdbcProbeStore(dispatching, opened.product(), sql, settlements);
        NodeTable nodes = new NodeTable(dispatching, application, sql);
        CdcSetup cdc = new CdcSetup(dispatching, config, sql, topics);
        MessageFinder finder = new MessageFinder(capturing, application, sql, MessageFinder.ROWS);
        MessagePurge messagePurge = new MessagePurge(application, sql, deliveries, removal);
        return new JdbcOutboxStore(
                opened,
                newMessages,
                new JdbcInbox(capturing, dispatching, application, sql),
                new AcceptedMessages(capturing, newMessages, sql),
                new MessageClaimer(dispatching, sql, partitions, watermark),
                new DelayedMessages(dispatching, sql, partitions, watermark),
                settlements,
                new JdbcPendingRows(dispatching, sql),
                probes,
                nodes,
                new BacklogReader(dispatching, application, sql, watermark),
                new HeldUpKeyCounter(dispatching, application, sql),
                new CrashHistory(dispatching, application, sql),
                new Purge(dispatching, messagePurge, nodes, probes),
                cdc,
                finder,
                new OperatorStore(capturing, config, sql, blockedKeys, deliveries, audit, watermark),
                new BackfillTable(capturing, dispatching, application, sql, partitions, finder, newMessages),
                new TableCheck(capturing, application, sql, opened.destinations(), opened.partitions()),
                new TextRoundTrip(dispatching, application, sql),
                new SetupCheck(config, opened.dialect(), capturing, dispatching, cdc));
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
}
