package dev.cdioutbox.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.XADataSource;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.Claim.Lease;
import dev.cdioutbox.internal.store.Inbox;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.PreparedTransactions;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.SweepResult;
import dev.cdioutbox.internal.store.ThisNode;
import dev.cdioutbox.internal.store.admin.AuditTable;
import dev.cdioutbox.internal.store.admin.ControlTable;
import dev.cdioutbox.internal.store.admin.MessageFinder;
import dev.cdioutbox.internal.store.admin.OperatorStore;
import dev.cdioutbox.internal.store.backlog.BacklogReader;
import dev.cdioutbox.internal.store.claim.LeaseTable;
import dev.cdioutbox.internal.store.claim.MessageClaimer;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.schema.SchemaSetup;
import dev.cdioutbox.internal.store.schema.SchemaShape;
import dev.cdioutbox.internal.store.settle.ProbeRow;
import dev.cdioutbox.internal.store.settle.RetentionSweeper;
import dev.cdioutbox.internal.store.settle.RetryWriter;
import dev.cdioutbox.internal.store.settle.SettlementWriter;
import dev.cdioutbox.internal.store.sql.BlockedKeyTable;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.DeliveryTable;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageWriter;
import dev.cdioutbox.internal.store.sql.PartitionTable;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Implements the store with JDBC: gives each step to the package that has its SQL, and runs it on the DataSource of
 * capture or on that of dispatch.
 */
public final class JdbcOutboxStore implements OutboxStore {
    private static final Logger LOG = Logger.getLogger(JdbcOutboxStore.class.getName());

    /**
     * In seconds: long enough for a healthy node to release a lock, short enough that a commit never hangs for ever.
     */
    private static final int LOCK_TIMEOUT_SECONDS = 30;

    /** Rows that one transaction deletes from the inbox: few, so that the transaction is short. */
    static final int INBOX_ROWS = 1000;

    private final Connections capturing;
    private final Connections dispatching;
    private final String database;
    private final StoreConfig config;
    private final Dialect dialect;
    private final PartitionTable partitions;
    private final MessageWriter writer;
    private final RetryWriter retryWriter;
    private final SettlementWriter settlementWriter;
    private final ProbeRow probeRow;
    private final MessageFinder finder;
    private final BacklogReader backlog;
    private final OperatorStore operations;
    private final MessageClaimer claims;
    private final LeaseTable leases;
    private final ReadWatermark watermark;
    private final DelayedMessages delayedMessages;
    private final RetentionSweeper retentionSweeper;
    private final Inbox inbox;
    private final SchemaShape schemaShape;
    private final TableCheck tableCheck;
    private final NodeTable nodes;
    // In these, %s is in the place of a list of sequences.
    private final String lockPending;
    private final String pending;

    JdbcOutboxStore(
            DataSource dataSource,
            DataSource dispatching,
            String database,
            StoreConfig config,
            Dialect dialect,
            PartitionTable partitions,
            ReadWatermark watermark) {
        this.capturing = new Connections(dataSource);
        this.dispatching = new Connections(dispatching);
        this.watermark = watermark;
        this.database = database;
        this.config = config;
        this.dialect = dialect;
        this.partitions = partitions;
        String application = config.application();
        String prefix = config.tablePrefix();
        this.writer = new MessageWriter(config, dialect, partitions);
        Sql sql = new Sql(prefix, dialect);
        AuditTable audit = new AuditTable(capturing, application, sql);
        BlockedKeyTable blockedKeys = new BlockedKeyTable(sql);
        DeliveryTable deliveries = new DeliveryTable(sql, LOCK_TIMEOUT_SECONDS);
        this.retryWriter = new RetryWriter(sql, blockedKeys, partitions, deliveries, LOCK_TIMEOUT_SECONDS);
        this.retentionSweeper = new RetentionSweeper(application, sql, deliveries, audit);
        this.settlementWriter =
                new SettlementWriter(sql, deliveries, retryWriter, retentionSweeper, LOCK_TIMEOUT_SECONDS);
        this.probeRow = new ProbeRow(sql, settlementWriter, LOCK_TIMEOUT_SECONDS);
        this.finder = new MessageFinder(application, sql, MessageFinder.ROWS);
        this.backlog = new BacklogReader(application, sql, watermark);
        this.operations =
                new OperatorStore(capturing, application, sql, finder, blockedKeys, deliveries, audit, watermark);
        this.delayedMessages = new DelayedMessages(sql, partitions, watermark);
        this.schemaShape = new SchemaShape(prefix, dialect);
        this.tableCheck = new TableCheck(
                application, sql, schemaShape, partitions, new ControlTable(application, prefix, dialect), watermark);
        this.nodes = new NodeTable(application, prefix, dialect);
        this.leases = new LeaseTable(sql);
        this.claims = new MessageClaimer(this.dispatching, application, sql, partitions, leases, watermark);
        this.inbox = new JdbcInbox(capturing, this.dispatching, application, prefix, dialect);
        pending = sql.of("SELECT seq FROM {queue by key} WHERE {is pending} AND seq IN (%s)");
        lockPending = sql.lockSkipLocked("seq", "queue", "{is pending} AND seq IN (%s)");
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
            SchemaSetup setup = new SchemaSetup(config, dialect, SchemaSetup.CURRENT);
            setup.prepare(connection);
            String prefix = setup.qualifiedPrefix(connection);
            StoreConfig qualified = config.withTablePrefix(prefix);
            PartitionTable partitions = new PartitionTable(qualified, dialect);
            partitions.prepare(connection, destinations);
            new ControlTable(config.application(), prefix, dialect).prepare(connection, destinations);
            String product = SupportedDatabases.product(connection.getMetaData());
            ReadWatermark watermark = ReadWatermark.of(config.application(), prefix, dialect, nanos);
            JdbcOutboxStore store =
                    new JdbcOutboxStore(dataSource, dataSource, product, qualified, dialect, partitions, watermark);
            // Not before: an opening without tables is repeated.
            SupportedDatabases.warn(dialect, connection);
            if (config.dispatchingDataSource() == null) {
                store.warnOfRowSecurity(connection);
            }
            return store;
        } catch (SQLException e) {
            throw Connections.failed("opening the outbox in " + config.dataSource(), e);
        }
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
            throw Problem.AUTO_COMMIT_OFF.exception(jndi);
        }
    }

    /**
     * A store on the same tables whose dispatch, sweep and status reads use another DataSource. Capture,
     * consumers and operators keep the first one.
     */
    public JdbcOutboxStore dispatchingOn(DataSource other) {
        return new JdbcOutboxStore(capturing.dataSource(), other, database, config, dialect, partitions, watermark);
    }

    /**
     * Checks the connections of the dispatcher's own DataSource.
     *
     * @param jndi the name of the DataSource
     * @throws dev.cdioutbox.OutboxException OBX-0329 if they come without auto-commit
     */
    public void checkDispatching(String jndi) {
        dispatching.withConnection("looking at the dispatcher's connections", connection -> {
            requireAutoCommit(connection, jndi);
            warnOfRowSecurity(connection);
            return null;
        });
    }

    /** Warns if the dispatcher may not see each message: it would send the others only, and count no more than them. */
    private void warnOfRowSecurity(Connection connection) throws SQLException {
        String query = dialect.tablesWithRowSecurity().orElse(null);
        if (query != null) {
            List<String> tables =
                    JdbcStatement.of(connection, query, schemaShape.tables()).list(row -> row.getString(1));
            if (!tables.isEmpty()) {
                LOG.warning(Problem.ROW_SECURITY.text(String.join(", ", tables)));
            }
        }
    }

    /** The inbox in the same database. */
    public Inbox inbox() {
        return inbox;
    }

    @Override
    public void write(List<NewMessage> messages) {
        capturing.withConnection("writing messages", connection -> {
            writer.write(connection, messages);
            return null;
        });
    }

    @Override
    public int partitionOf(NewMessage message) {
        return partitions.queueId(message.destination(), partitions.number(message));
    }

    @Override
    public Claim claim(String destination, int afterPartition, Claim.Limits limits, Claim.LockProbe probe) {
        try {
            return claims.claim(destination, afterPartition, limits, probe);
        } catch (Exception e) {
            // Perhaps a replica has taken over: the next claim compares its sequence before it reads.
            watermark.querySoon();
            throw Connections.failed("claiming messages for destination '" + destination + "'", e);
        }
    }

    @Override
    public String database() {
        return database;
    }

    @Override
    public PreparedTransactions preparedTransactions() {
        String query = dialect.preparedTransactions().orElse(null);
        return query == null
                ? null
                : dispatching.withConnection(
                        "looking at the prepared transactions", connection -> JdbcStatement.of(connection, query)
                                .first(row -> new PreparedTransactions(row.getInt(1), row.getInt(2))));
    }

    /** Most drivers have one class for each kind of DataSource. A server's DataSource shows the class that it wraps. */
    @Override
    public String dataSourceProblem() {
        DataSource source = dispatching.dataSource();
        try {
            return source.isWrapperFor(ConnectionPoolDataSource.class) && !source.isWrapperFor(XADataSource.class)
                    ? "the DataSource is a javax.sql.ConnectionPoolDataSource, and no javax.sql.XADataSource"
                    : null;
        } catch (SQLException unknown) {
            LOG.log(Level.FINE, "the DataSource does not show what it wraps", unknown);
            return null;
        }
    }

    @Override
    public Set<Long> lockable(Collection<Long> sequences) {
        return found(lockPending, sequences);
    }

    @Override
    public Set<Long> pending(Collection<Long> sequences) {
        return found(pending, sequences);
    }

    private Set<Long> found(String statement, Collection<Long> sequences) {
        return sequences.isEmpty()
                ? Set.of()
                : dispatching.inLocalTransaction(
                        "looking for messages in doubt",
                        connection -> new HashSet<>(JdbcStatement.of(connection, statement, sequences)
                                .behind(dialect.planByIndex())
                                .numbers()));
    }

    @Override
    public void renewLeases() {
        RuntimeException failure = null;
        for (Lease lease : leases.held()) {
            try {
                dispatching.inLocalTransaction("renewing a lease", connection -> {
                    leases.renew(connection, lease);
                    connection.commit();
                    return null;
                });
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public boolean releaseDelayed(String destination) {
        return dispatching.inLocalTransaction(
                "moving delayed messages", connection -> delayedMessages.release(connection, destination));
    }

    @Override
    public Duration untilNextDue(String destination) {
        return dispatching.inLocalTransaction(
                "looking for the next due message",
                connection -> delayedMessages.untilNextDue(connection, destination));
    }

    @Override
    public boolean countUnfinishedSend(long sequence, int count) {
        return dispatching.inLocalTransaction("counting a send", connection -> {
            boolean waits = retryWriter.countUnfinishedSend(connection, sequence, count);
            connection.commit();
            return waits;
        });
    }

    @Override
    public Settlement.Result settle(Settlement settlement, Lease lease) {
        return dispatching.withConnection("settling messages", connection -> {
            if (lease != null) {
                leases.fence(connection, lease);
            }
            return settlementWriter.settle(connection, settlement);
        });
    }

    @Override
    public long insertProbe() {
        return dispatching.inLocalTransaction("inserting the row of a probe", connection -> {
            long sequence = probeRow.insert(connection);
            connection.commit();
            return sequence;
        });
    }

    @Override
    public void settleProbe(long sequence, RetentionConfig retention) {
        dispatching.withConnection("settling the row of a probe", connection -> {
            probeRow.settle(connection, sequence, retention);
            return null;
        });
    }

    @Override
    public void deleteProbe(long sequence) {
        dispatching.inLocalTransaction("deleting the row of a probe", connection -> {
            probeRow.delete(connection, sequence);
            connection.commit();
            return null;
        });
    }

    @Override
    public SweepResult sweep(RetentionConfig retention, long after) {
        return dispatching.inLocalTransaction("sweeping messages", connection -> {
            SweepResult swept = retentionSweeper.sweepBatch(connection, retention, after);
            if (swept.isEnd()) {
                nodes.sweep(connection);
                probeRow.sweep(connection);
            }
            connection.commit();
            return swept;
        });
    }

    @Override
    public boolean sweepInbox(Duration retention) {
        return inbox.sweep(retention, INBOX_ROWS) == INBOX_ROWS;
    }

    @Override
    public void writeHeartbeat(ThisNode node, int partitions) {
        dispatching.withConnection("writing this node's row", connection -> {
            nodes.writeHeartbeat(connection, node, partitions);
            return null;
        });
    }

    @Override
    public List<OutboxNode> nodes() {
        return dispatching.withConnection("reading the nodes' rows", nodes::all);
    }

    @Override
    public boolean deleteNode(String node) {
        return dispatching.withConnection("deleting a node's row", connection -> nodes.delete(connection, node));
    }

    @Override
    public String problem() {
        return capturing.withConnection("looking at the tables", tableCheck::problem);
    }

    @Override
    public OutboxBacklog backlog() {
        return dispatching.withConnection("reading the backlog", backlog::read);
    }

    @Override
    public Map<String, Integer> waitingByDestination() {
        return dispatching.withConnection("reading the backlog", backlog::waitingByDestination);
    }

    @Override
    public Long highestShadowed(String destination) {
        return dispatching.withConnection(
                "looking for what was shadowed", connection -> finder.highestShadowed(connection, destination));
    }

    /** The changes of operators on these tables. */
    public OperatorStore operations() {
        return operations;
    }

    @Override
    public List<OutboxMessage> find(OutboxFilter filter, String messageId) {
        return capturing.withConnection(
                "looking for messages",
                connection -> messageId == null
                        ? finder.find(connection, filter)
                        : finder.find(connection, filter, messageId));
    }

    @Override
    public List<OutboxMessage> find(List<Long> sequences) {
        return capturing.withConnection("looking for messages", connection -> finder.find(connection, sequences));
    }

    @Override
    public OutboxPage page(OutboxFilter filter) {
        return capturing.withConnection("looking for messages", connection -> finder.page(connection, filter, true));
    }

    @Override
    public OutboxPage list(OutboxFilter filter) {
        return capturing.withConnection("looking for messages", connection -> finder.page(connection, filter, false));
    }
}
