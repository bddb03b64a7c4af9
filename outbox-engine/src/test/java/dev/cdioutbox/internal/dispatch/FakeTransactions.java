package dev.cdioutbox.internal.dispatch;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.XADataSource;

import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.Database;

/**
 * A transaction manager with two resources: the broker, and a DataSource. Within a transaction, this DataSource always
 * returns the same connection, which ends with the transaction. The broker commits first, as on the server.
 */
public final class FakeTransactions implements Transactions {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The number of next commits that fail, with both resources rolled back. */
    public final AtomicInteger failingCommits = new AtomicInteger();

    /** The cause of a commit that fails; null if the container does not tell it. */
    public volatile Throwable whyCommitFails;

    /** The kinds of DataSources that this one shows. */
    public volatile Set<Class<?>> wrapped = Set.of(ConnectionPoolDataSource.class, XADataSource.class);

    /** A transaction that sends more messages than this exceeds its timeout. */
    public volatile int timesOutAbove = Integer.MAX_VALUE;

    /** A transaction that settles more messages than this exceeds its timeout. */
    public volatile int settlesAtMost = Integer.MAX_VALUE;

    /** If set, the next commit cannot reach the broker, and has this outcome. */
    public volatile Unreachable unreachable;
    /** Called when a commit has failed. */
    public volatile Runnable afterFailure = () -> {};

    /** Commits the database first, which no server does if the send comes first. */
    volatile boolean databaseFirst;

    /** Prepares each transaction in the database before its commit, as a transaction manager does; for PostgreSQL. */
    public volatile boolean prepares;

    /** Called after the first of the two commits. */
    public volatile Runnable betweenCommits = () -> {};

    private Connection inDoubt;
    private volatile boolean away;
    private volatile boolean stopped;

    public enum Unreachable {
        /** The database commits alone, as on Liberty. */
        DATABASE_GOES_ON,
        /** The database waits for the broker, as on Liberty for branches with a commit-priority. */
        DATABASE_WAITS
    }

    private final AtomicInteger outsideCalls = new AtomicInteger();

    /** The number of next calls outside of a transaction that fail. */
    public final AtomicInteger failingOutsideCalls = new AtomicInteger();

    public final AtomicInteger failedCommits = new AtomicInteger();

    private final DataSource database;
    private final FakeBroker broker;
    private final ThreadLocal<Connection> current = new ThreadLocal<>();

    /** The number of connections that the container would keep for the timer's own call, until that call ends. */
    public final AtomicInteger keptForTheCaller = new AtomicInteger();

    private final ThreadLocal<Boolean> apart = ThreadLocal.withInitial(() -> false);

    public FakeTransactions(DataSource database, FakeBroker broker) {
        this.database = database;
        this.broker = broker;
    }

    public DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("isWrapperFor")) {
                        return wrapped.contains(arguments[0]);
                    }
                    if (away) {
                        throw new SQLException("the database is away");
                    }
                    Connection shared = current.get();
                    if (shared != null && isTimedOut()) {
                        throw new SQLException("the transaction is marked for rollback");
                    }
                    if (shared == null && !apart.get()) {
                        keptForTheCaller.incrementAndGet();
                    }
                    return shared == null ? database.getConnection() : handle(shared);
                });
    }

    private Connection handle(Connection shared) {
        Set<String> ofTheTransaction = Set.of("close", "commit", "rollback", "setAutoCommit");
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (ofTheTransaction.contains(method.getName())) {
                        return null;
                    }
                    try {
                        return method.invoke(shared, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A DataSource whose connections would be another branch of a transaction, which this container refuses. */
    DataSource withoutXa() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection") && current.get() != null) {
                        throw new SQLException("two resources without XA");
                    }
                    return method.invoke(database, arguments);
                });
    }

    /** Refuses new connections. */
    public void takeDatabaseAway() {
        away = true;
    }

    /** Refuses new work, as after the end of the application. */
    public void stop() {
        stopped = true;
    }

    public int outsideCalls() {
        return outsideCalls.get();
    }

    @Override
    public <T> T inNew(Callable<T> work) throws Exception {
        refuseIfStopped();
        Connection connection = database.getConnection();
        try {
            connection.setAutoCommit(false);
            current.set(connection);
            try {
                int settled = published(connection);
                T result = work.call();
                if (published(connection) - settled > settlesAtMost) {
                    throw new TimedOutException(TIMEOUT, null);
                }
                if (unreachable != null && broker.staged() > 0) {
                    leave(connection);
                    throw new SQLException("a branch could not be reached");
                }
                if (failingCommits.getAndUpdate(left -> Math.max(0, left - 1)) > 0 || broker.refusesTheCommit()) {
                    throw new CommitFailed(whyCommitFails);
                }
                commit(connection);
                return result;
            } catch (CommitFailed e) {
                failedCommits.incrementAndGet();
                connection.rollback();
                current.remove();
                afterFailure.run();
                throw new SQLException(e.getMessage(), e.getCause());
            } catch (Exception e) {
                throw isTimedOut() ? new TimedOutException(TIMEOUT, e) : e;
            } finally {
                // After a commit there is nothing left to roll back.
                broker.rollback();
                current.remove();
            }
        } finally {
            if (connection != inDoubt) {
                connection.rollback();
                connection.close();
            }
        }
    }

    private int published(Connection connection) throws SQLException {
        if (settlesAtMost == Integer.MAX_VALUE) {
            return 0;
        }
        try (Statement count = connection.createStatement();
                ResultSet row = count.executeQuery("SELECT COUNT(*) FROM shop_delivery WHERE status = 3")) {
            row.next();
            return row.getInt(1);
        }
    }

    private boolean isTimedOut() {
        return broker.staged() > timesOutAbove;
    }

    private void refuseIfStopped() {
        if (stopped) {
            throw new IllegalStateException("the application has ended");
        }
    }

    /** Both resources are rolled back. */
    private static final class CommitFailed extends Exception {
        private static final long serialVersionUID = 1L;

        CommitFailed(Throwable cause) {
            super("the commit failed", cause);
        }
    }

    private void commit(Connection connection) throws SQLException, CommitFailed {
        if (prepares) {
            commitPrepared(connection);
            return;
        }
        if (databaseFirst) {
            connection.commit();
        } else {
            broker.commit();
        }
        betweenCommits.run();
        if (databaseFirst) {
            broker.commit();
        } else {
            connection.commit();
        }
    }

    private void commitPrepared(Connection connection) throws SQLException, CommitFailed {
        String name = UUID.randomUUID().toString();
        try {
            Database.execute(connection, "PREPARE TRANSACTION '" + name + "'");
        } catch (SQLException e) {
            throw new CommitFailed(e);
        }
        broker.commit();
        connection.setAutoCommit(true);
        Database.execute(connection, "COMMIT PREPARED '" + name + "'");
        connection.setAutoCommit(false);
    }

    private void leave(Connection connection) throws SQLException {
        broker.prepare();
        if (unreachable == Unreachable.DATABASE_GOES_ON) {
            connection.commit();
        } else {
            inDoubt = connection;
        }
        unreachable = null;
        afterFailure.run();
    }

    /** Recovers: commits the prepared branches. */
    public void end() throws SQLException {
        broker.commitPrepared();
        if (inDoubt != null) {
            try (Connection connection = inDoubt) {
                connection.commit();
            }
            inDoubt = null;
        }
    }

    /** Recovers: rolls the prepared branches back. */
    public void rollBack() throws SQLException {
        broker.rollbackPrepared();
        try (Connection connection = inDoubt) {
            connection.rollback();
        }
        inDoubt = null;
    }

    @Override
    public <T> T outside(Callable<T> work) throws Exception {
        refuseIfStopped();
        outsideCalls.incrementAndGet();
        if (failingOutsideCalls.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new SQLException("refused outside of a transaction");
        }
        Connection suspended = current.get();
        boolean nested = apart.get();
        current.remove();
        apart.set(true);
        try {
            return work.call();
        } finally {
            apart.set(nested);
            current.set(suspended);
        }
    }
}
