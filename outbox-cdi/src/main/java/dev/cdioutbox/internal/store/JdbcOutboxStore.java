package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;

/** The outbox's tables through JDBC. */
public final class JdbcOutboxStore implements OutboxStore {
    /** Long enough for a lock to be given back by a healthy peer, short enough that a commit never hangs for good. */
    private static final int LOCK_TIMEOUT_SECONDS = 30;

    private final Connections capturing;
    private final Connections dispatching;
    private final String database;
    private final StoreConfig config;
    private final Statements sql;
    private final Partitions partitions;
    private final MessageWriter writer;
    private final Settler settler;
    private final Finder finder;
    private final BacklogReader backlog;
    private final Operations operations;
    private final Claims claims;
    private final Leases leases;
    private final FloorKeeper floors;
    private final Promotion promotion;
    private final Look look;
    private final Sweeper sweeper;
    private final DeadNodes deadNodes;
    private final Inbox inbox;
    private final SchemaShape shape;
    private final NodeTable nodes;
    private final NodeRegister nodeRegister;

    private JdbcOutboxStore(
            DataSource dataSource,
            DataSource dispatching,
            String database,
            StoreConfig config,
            Statements sql,
            Partitions partitions,
            FloorKeeper floors) {
        this.capturing = new Connections(dataSource);
        this.dispatching = new Connections(dispatching);
        this.floors = floors;
        this.database = database;
        this.config = config;
        String application = config.application();
        this.sql = sql;
        boolean strict = config.ordering() == Ordering.STRICT;
        this.writer = new MessageWriter(application, strict ? new KeyLocks(application, sql) : null, sql, partitions);
        GateStatements gateSql = new GateStatements(
                config.tablePrefix(), sql.dialect(), sql.dialect().tellsWriters());
        AuditTable audit =
                new AuditTable(application, new AuditStatements(config.tablePrefix(), sql.dialect()), sql.dialect());
        this.settler = new Settler(
                config.tablePrefix() + "message",
                sql,
                new Postponing(sql, gateSql, partitions),
                audit,
                LOCK_TIMEOUT_SECONDS);
        FinderStatements finderSql = new FinderStatements(config.tablePrefix(), sql.dialect());
        Walk walk = new Walk(finderSql, sql.dialect(), Walk.ROWS);
        this.finder = new Finder(application, finderSql, sql.dialect(), walk);
        OperationStatements operationSql = new OperationStatements(config.tablePrefix(), sql.dialect());
        ControlTable control = new ControlTable(application, operationSql);
        this.backlog = new BacklogReader(application, config.tablePrefix(), sql.dialect(), control, floors);
        Candidates candidates = new Candidates(application, operationSql, sql.dialect(), walk);
        this.operations = new JdbcOperations(dataSource, application, candidates, operationSql, gateSql, audit, floors);
        this.promotion = new Promotion(config.tablePrefix(), sql.dialect(), floors);
        this.partitions = partitions;
        this.shape = new SchemaShape(config.tablePrefix(), sql);
        NodeStatements nodeSql = new NodeStatements(config.tablePrefix(), sql.dialect());
        this.nodes = new NodeTable(application, nodeSql, sql.dialect());
        this.nodeRegister = new JdbcNodeRegister(this.dispatching, nodes);
        this.sweeper = new Sweeper(application, sql, audit);
        this.deadNodes = new DeadNodes(nodeSql);
        this.leases = new Leases(new LeaseStatements(config.tablePrefix(), sql.dialect()));
        this.look = new Look(sql);
        PartitionLock lock = new PartitionLock(application, config.tablePrefix(), sql.dialect(), partitions);
        this.claims = new Claims(sql, lock, new Gates(gateSql, sql.dialect()), leases, floors);
        this.inbox = new JdbcInbox(
                dataSource, application, new InboxStatements(config.tablePrefix(), sql.dialect()), sql.dialect());
    }

    /**
     * Prepares the tables as the configuration says and opens the store. Not to be called in a JTA transaction.
     *
     * @throws dev.cdioutbox.OutboxException OBX-03xx if the database is of no known kind, or the tables cannot be used
     */
    public static JdbcOutboxStore open(DataSource dataSource, StoreConfig config, Set<String> destinations) {
        return open(dataSource, config, destinations, SchemaScripts::of, System::nanoTime);
    }

    static JdbcOutboxStore open(
            DataSource dataSource,
            StoreConfig config,
            Set<String> destinations,
            BiFunction<Dialect, String, SchemaScripts> scripts,
            LongSupplier nanos) {
        try (Connection connection = dataSource.getConnection()) {
            Dialect dialect = Dialects.of(connection);
            Statements sql = new Statements(config.tablePrefix(), dialect);
            new Schema(dataSource, config, sql, scripts.apply(dialect, config.tablePrefix())).prepare(connection);
            PartitionTable table = new PartitionTable(config, sql);
            Partitions partitions = table.prepare(connection, destinations);
            table.warnOfStrangers(connection);
            new ControlTable(config.application(), new OperationStatements(config.tablePrefix(), sql.dialect()))
                    .prepare(connection, destinations);
            String product = Dialects.product(connection.getMetaData());
            FloorKeeper floors = FloorKeeper.of(config.tablePrefix(), dialect, nanos);
            return new JdbcOutboxStore(dataSource, dataSource, product, config, sql, partitions, floors);
        } catch (SQLException e) {
            throw Connections.failed("opening the outbox in " + config.dataSource(), e);
        }
    }

    /**
     * The same tables, dispatched, swept and looked at on connections of another DataSource; capture, the inbox and operators
     * stay with theirs.
     */
    public JdbcOutboxStore dispatchingOn(DataSource other) {
        return new JdbcOutboxStore(capturing.dataSource(), other, database, config, sql, partitions, floors);
    }

    /** The inbox beside it. */
    public Inbox inbox() {
        return inbox;
    }

    @Override
    public void write(List<NewMessage> messages) {
        capturing.run("writing messages", connection -> {
            writer.write(connection, messages, LOCK_TIMEOUT_SECONDS);
            return null;
        });
    }

    /** @throws dev.cdioutbox.OutboxException OBX-0314 if the database needs leases, and this is null */
    public void checkClaims(Duration lease) {
        claims.check(lease, database);
    }

    @Override
    public Claim claim(String destination, int afterQueue, ClaimLimits limits) {
        checkClaims(limits.lease());
        OwnTransaction transaction = null;
        try {
            transaction = dispatching.begin();
            return claims.take(
                    transaction,
                    destination,
                    afterQueue,
                    limits.within(sql.dialect().mostParameters()));
        } catch (SQLException | RuntimeException e) {
            OwnTransaction.giveBack(transaction, e);
            throw Connections.failed("claiming messages for destination '" + destination + "'", e);
        }
    }

    @Override
    public String database() {
        return database;
    }

    @Override
    public Set<Long> lockable(Collection<Long> sequences) {
        return sequences.isEmpty() ? Set.of() : look(tx -> look.skipping(tx, List.copyOf(sequences)));
    }

    @Override
    public Set<Long> lockableAtOnce(Collection<Long> sequences) {
        return sequences.isEmpty() ? Set.of() : look(tx -> look.atOnce(tx, List.copyOf(sequences)));
    }

    @Override
    public Set<Long> waiting(Collection<Long> sequences) {
        return sequences.isEmpty() ? Set.of() : look(tx -> look.waiting(tx, List.copyOf(sequences)));
    }

    private Set<Long> look(Connections.WorkApart<Set<Long>> work) {
        return dispatching.runApart("looking for messages in doubt", work);
    }

    @Override
    public boolean renew(Lease lease) {
        return dispatching.runApart("renewing a lease", transaction -> {
            boolean kept = leases.renew(transaction.connection(), lease);
            transaction.commit();
            return kept;
        });
    }

    @Override
    public boolean promote(String destination) {
        int delayed = partitions.queueId(destination, Partitions.DELAYED);
        return dispatching.runApart("moving delayed messages", transaction -> promotion.promote(transaction, delayed));
    }

    @Override
    public Settled settle(Settlement settlement, Lease lease) {
        return dispatching.run("settling messages", connection -> {
            if (lease != null) {
                leases.fence(connection, lease);
            }
            return settler.settle(connection, settlement);
        });
    }

    @Override
    public Swept sweep(RetentionConfig retention, long after, long upTo) {
        return dispatching.runApart("sweeping messages", transaction -> {
            Swept swept = sweeper.sweep(transaction.connection(), retention, after, upTo);
            if (swept.isEnd()) {
                deadNodes.sweep(transaction.connection());
            }
            transaction.commit();
            return swept;
        });
    }

    @Override
    public void touch(NodeIdentity node, int partitions) {
        dispatching.run("writing this node's row", connection -> {
            nodes.touch(connection, node, partitions);
            return null;
        });
    }

    @Override
    public List<OutboxNode> nodes() {
        return dispatching.run("reading the nodes' rows", nodes::all);
    }

    @Override
    public boolean forget(NodeIdentity node) {
        return dispatching.run("deleting a node's row", connection -> nodes.delete(connection, node.id()));
    }

    @Override
    public NodeRegister nodeRegister() {
        return nodeRegister;
    }

    @Override
    public String problem() {
        return capturing.run("looking at the tables", shape::problem);
    }

    @Override
    public OutboxBacklog backlog() {
        return dispatching.run("reading the backlog", backlog::read);
    }

    @Override
    public Long highestShadowed(String destination) {
        return dispatching.run(
                "looking for what was shadowed", connection -> finder.highestShadowed(connection, destination));
    }

    /** What operators do to these tables. */
    public Operations operations() {
        return operations;
    }

    @Override
    public List<OutboxMessage> find(OutboxFilter filter, String messageId) {
        return capturing.run("looking for messages", connection -> finder.find(connection, filter, messageId));
    }

    @Override
    public List<OutboxMessage> find(List<Long> sequences) {
        return capturing.run("looking for messages", connection -> finder.find(connection, sequences));
    }

    @Override
    public OutboxPage page(OutboxFilter filter) {
        return capturing.run("looking for messages", connection -> finder.page(connection, filter, true));
    }

    @Override
    public OutboxPage list(OutboxFilter filter) {
        return capturing.run("looking for messages", connection -> finder.page(connection, filter, false));
    }
}
