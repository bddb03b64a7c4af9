package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
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
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.problem.Problem;

/** The outbox's tables through JDBC. */
public final class JdbcOutboxStore implements OutboxStore {
    /** Long enough for a lock to be given back by a healthy peer, short enough that a commit never hangs for good. */
    private static final int LOCK_TIMEOUT_SECONDS = 30;

    private final DataSource dataSource;
    private final String database;
    private final String application;
    private final Statements sql;
    private final Partitions partitions;
    private final MessageWriter writer;
    private final Settler settler;
    private final Finder finder;
    private final BacklogReader backlog;
    private final Operations operations;
    private final Claims claims;
    private final Leases leases;
    private final Promotion promotion;
    private final Look look;
    private final Sweeper sweeper;
    private final DeadNodes deadNodes;
    private final Inbox inbox;
    private final SchemaShape shape;
    private final NodeTable nodes;

    private JdbcOutboxStore(
            DataSource dataSource,
            String database,
            StoreConfig config,
            Statements sql,
            Partitions partitions,
            LongSupplier nanos) {
        this.dataSource = dataSource;
        this.database = database;
        this.application = config.application();
        this.sql = sql;
        boolean strict = config.ordering() == Ordering.STRICT;
        this.writer = new MessageWriter(application, strict ? new KeyLocks(application, sql) : null, sql, partitions);
        GateStatements gateSql = new GateStatements(config.tablePrefix(), sql.dialect());
        this.settler = new Settler(
                config.tablePrefix() + "message", sql, new Postponing(sql, gateSql, partitions), LOCK_TIMEOUT_SECONDS);
        this.finder = new Finder(application, sql);
        OperationStatements operationSql = new OperationStatements(config.tablePrefix(), sql.dialect());
        FloorKeeper floors = FloorKeeper.of(config.tablePrefix(), sql.dialect(), nanos);
        ControlTable control = new ControlTable(application, operationSql);
        this.backlog = new BacklogReader(application, config.tablePrefix(), sql.dialect(), control, floors);
        this.operations = new JdbcOperations(dataSource, application, sql, operationSql, gateSql, floors);
        this.promotion = new Promotion(sql, floors);
        this.partitions = partitions;
        this.shape = new SchemaShape(config.tablePrefix(), sql);
        this.nodes = new NodeTable(application, sql);
        this.sweeper = new Sweeper(application, sql);
        this.deadNodes = new DeadNodes(sql);
        this.leases = new Leases(new LeaseStatements(config.tablePrefix(), sql.dialect()));
        this.look = new Look(sql);
        PartitionLock lock = new PartitionLock(application, config.tablePrefix(), sql.dialect(), partitions);
        this.claims = new Claims(sql, lock, new Gates(gateSql), leases, floors);
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
            Dialect dialect = Dialects.of(connection.getMetaData());
            Statements sql = new Statements(config.tablePrefix(), dialect);
            new Schema(dataSource, config, sql, scripts.apply(dialect, config.tablePrefix())).prepare(connection);
            PartitionTable table = new PartitionTable(config, sql);
            Partitions partitions = table.prepare(connection, destinations);
            table.warnOfStrangers(connection);
            new ControlTable(config.application(), new OperationStatements(config.tablePrefix(), sql.dialect()))
                    .prepare(connection, destinations);
            return new JdbcOutboxStore(dataSource, product(connection.getMetaData()), config, sql, partitions, nanos);
        } catch (SQLException e) {
            throw failed("opening the outbox in " + config.dataSource(), e);
        }
    }

    /** The inbox beside it. */
    public Inbox inbox() {
        return inbox;
    }

    @Override
    public void write(List<NewMessage> messages) {
        run("writing messages", connection -> {
            writer.write(connection, messages, LOCK_TIMEOUT_SECONDS);
            return null;
        });
    }

    @Override
    public Claim claim(String destination, int afterQueue, ClaimLimits limits) {
        OwnTransaction transaction = null;
        try {
            transaction = OwnTransaction.begin(dataSource);
            return claims.take(
                    transaction,
                    destination,
                    afterQueue,
                    limits.within(sql.dialect().mostParameters()));
        } catch (SQLException | RuntimeException e) {
            giveBack(transaction, e);
            throw failed("claiming messages for destination '" + destination + "'", e);
        }
    }

    private static void giveBack(OwnTransaction transaction, Exception cause) {
        if (transaction != null) {
            try {
                transaction.close();
            } catch (SQLException alsoFailed) {
                cause.addSuppressed(alsoFailed);
            }
        }
    }

    private static String product(DatabaseMetaData database) throws SQLException {
        return database.getDatabaseProductName() + " " + database.getDatabaseProductVersion();
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

    private Set<Long> look(WorkApart<Set<Long>> work) {
        return runApart("looking for messages in doubt", work);
    }

    @Override
    public boolean renew(Lease lease) {
        return runApart("renewing a lease", transaction -> {
            boolean kept = leases.renew(transaction.connection(), lease);
            transaction.commit();
            return kept;
        });
    }

    @Override
    public boolean promote(String destination) {
        int delayed = partitions.queueId(destination, Partitions.DELAYED);
        return runApart("moving delayed messages", transaction -> promotion.promote(transaction, delayed));
    }

    @Override
    public void settle(Settlement settlement, Lease lease) {
        run("settling messages", connection -> {
            if (lease != null) {
                leases.fence(connection, lease);
            }
            settler.settle(connection, settlement);
            return null;
        });
    }

    @Override
    public Swept sweep(RetentionConfig retention, long after, long upTo) {
        return runApart("sweeping messages", transaction -> {
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
        run("writing this node's row", connection -> {
            nodes.touch(connection, node, partitions);
            return null;
        });
    }

    @Override
    public List<OutboxNode> nodes() {
        return run("reading the nodes' rows", nodes::all);
    }

    @Override
    public boolean forget(NodeIdentity node) {
        return run("deleting a node's row", connection -> {
            try (PreparedStatement delete = connection.prepareStatement(sql.deleteNode)) {
                delete.setString(1, node.id());
                return delete.executeUpdate() > 0;
            }
        });
    }

    @Override
    public String problem() {
        return run("looking at the tables", shape::problem);
    }

    @Override
    public OutboxBacklog backlog() {
        return run("reading the backlog", backlog::read);
    }

    @Override
    public Long highestShadowed(String destination) {
        return run("looking for what was shadowed", connection -> finder.highestShadowed(connection, destination));
    }

    /** What operators do to these tables. */
    public Operations operations() {
        return operations;
    }

    @Override
    public List<OutboxMessage> find(OutboxFilter filter, String messageId) {
        return run("looking for messages", connection -> finder.find(connection, filter, messageId));
    }

    private <T> T run(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            return work.on(connection);
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    /** In a transaction of its own, on a connection of its own. */
    private <T> T runApart(String what, WorkApart<T> work) {
        try (OwnTransaction transaction = OwnTransaction.begin(dataSource)) {
            return work.in(transaction);
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    private static RuntimeException failed(String what, Exception e) {
        return e instanceof RuntimeException known
                ? known
                : Problem.DATABASE_FAILED.exception(e, what, Problem.reason(e));
    }

    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private interface WorkApart<T> {
        T in(OwnTransaction transaction) throws SQLException;
    }
}
