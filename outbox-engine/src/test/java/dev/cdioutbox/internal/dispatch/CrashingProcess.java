package dev.cdioutbox.internal.dispatch;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;

/**
 * A process that dispatches, and crashes while it sends. From that moment on, the process reaches neither the database
 * nor the broker, and open transactions are rolled back.
 */
final class CrashingProcess {
    /** Higher than the ids that an operating system assigns. */
    private static final AtomicInteger PIDS = new AtomicInteger(1 << 26);

    final FakeBroker broker = new FakeBroker();
    final Dispatcher dispatcher;
    final ThisNode identity;
    final OutboxConfig config;
    private final FakeTransactions transactions;
    private final Queue<Connection> connections = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;
    private final long began = System.nanoTime();

    CrashingProcess(TestDatabase database, OutboxConfig config) {
        this(database, config, sql -> {});
    }

    /** @param statements gets each statement that it prepares */
    CrashingProcess(TestDatabase database, OutboxConfig config, Consumer<String> statements) {
        this.config = config;
        transactions = new FakeTransactions(database.dataSource(), broker);
        JdbcOutboxStore store = JdbcOutboxStore.open(
                tracked(transactions.dataSource(), statements),
                config.store(),
                config.destinations().keySet());
        int pid = PIDS.incrementAndGet();
        identity = new ThisNode("node-" + pid, "shop", "host", "server", pid, "1.0");
        dispatcher = new Dispatcher(
                store,
                Map.of("jms", broker),
                identity,
                () -> config,
                new Environment(transactions, () -> stopped),
                () -> Duration.ofNanos(System.nanoTime() - began));
        dispatcher.writeHeartbeat();
    }

    /** Crashes at the first message that matches. */
    CrashingProcess dyingOf(Predicate<OutboxMessage> fatal) {
        broker.afterSend = message -> {
            if (fatal.test(message)) {
                crash();
                throw new Death();
            }
        };
        return this;
    }

    /** Runs the worker until nothing is due; returns whether the process has survived. */
    boolean survives() {
        Throwable failure = run();
        if (failure != null && !(failure instanceof Death)) {
            throw new IllegalStateException(failure);
        }
        return failure == null;
    }

    Throwable run() {
        return DispatchScene.workerOf(dispatcher).poll();
    }

    void stopInOrder() {
        stopped = true;
        transactions.stop();
        dispatcher.deleteNodeRow();
    }

    /** Takes the database away, as after the end of the application. */
    void loseItsDatabase() {
        transactions.takeDatabaseAway();
    }

    /** Ends the connections: the claim's gives back no lease. */
    private void crash() {
        transactions.takeDatabaseAway();
        for (Connection connection : connections) {
            try (connection) {
                if (!connection.isClosed() && !connection.getAutoCommit()) {
                    connection.rollback();
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private DataSource tracked(DataSource source, Consumer<String> statements) {
        return proxy(DataSource.class, source, (method, arguments, result) -> {
            if (result instanceof Connection connection) {
                connections.add(connection);
                return proxy(Connection.class, connection, (called, texts, answer) -> {
                    if (called.equals("prepareStatement")) {
                        statements.accept((String) texts[0]);
                    }
                    return answer;
                });
            }
            return result;
        });
    }

    private interface Watch {
        Object called(String method, Object[] arguments, Object result);
    }

    private static <T> T proxy(Class<T> type, T target, Watch watch) {
        return type.cast(Proxy.newProxyInstance(
                CrashingProcess.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return watch.called(method.getName(), arguments, method.invoke(target, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    void leaveNextCommitInDoubt() {
        transactions.unreachable = FakeTransactions.Unreachable.DATABASE_WAITS;
    }

    void rollBackInDoubt() throws SQLException {
        broker.away = null;
        transactions.rollBack();
    }

    List<String> delivered() {
        return broker.texts();
    }

    private static final class Death extends Error {
        private static final long serialVersionUID = 1L;
    }
}
