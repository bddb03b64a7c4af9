package dev.cdioutbox.internal.store;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** A pool that records the state of returned connections, counts executions, and can make one of them fail. */
public final class WatchedSource {
    private final DataSource database;
    private final int isolation;
    private final Supplier<String> onConnect;
    private final List<String> givenBack = new ArrayList<>();
    private int taken;
    private int executed;
    private int longest;
    private int steps;
    private int failing;
    private final Set<String> failed = new HashSet<>();
    private String lastFailed = "";
    private int interrupted;
    private Runnable interruption;
    private final List<String> ran = new ArrayList<>();

    public WatchedSource(DataSource database, int isolation) {
        this(database, isolation, () -> null);
    }

    /** @param onConnect the statement that each new session begins with; null if there is none */
    public WatchedSource(DataSource database, int isolation, Supplier<String> onConnect) {
        this.database = database;
        this.isolation = isolation;
        this.onConnect = onConnect;
    }

    public DataSource dataSource() {
        return proxy(DataSource.class, (pool, method, arguments) -> {
            taken++;
            Connection connection = database.getConnection();
            connection.setTransactionIsolation(isolation);
            String first = onConnect.get();
            if (first != null) {
                Database.execute(connection, first);
            }
            return watched(connection);
        });
    }

    /** Whether the chosen step was reached and has failed. */
    boolean hasFailed() {
        return steps >= failing;
    }

    /** The statements that were made to fail so far, each with its real number of parameters. */
    Set<String> failed() {
        return failed;
    }

    /** The number, in this call, of the first execution that has never failed; empty if each has. */
    Optional<Integer> escaped() {
        return ran.stream().filter(text -> !failed.contains(text)).findFirst().map(text -> ran.indexOf(text) + 1);
    }

    /** The last of the failed statements. */
    String lastFailed() {
        return lastFailed;
    }

    int taken() {
        return taken;
    }

    public int executed() {
        return executed;
    }

    /** The length of the longest statement, in characters. */
    public int longest() {
        return longest;
    }

    List<String> givenBack() {
        return givenBack;
    }

    /**
     * Makes the execution or commit with this number fail, counted from now on. The database itself fails, so that its
     * transaction state is real.
     */
    public void failAt(int step) {
        steps = 0;
        ran.clear();
        failing = step;
    }

    /** Runs an action after the execution with this number, counted from now on. */
    void after(int execution, Runnable what) {
        executed = 0;
        interrupted = execution;
        interruption = what;
    }

    /** In seconds, 0 for none. H2 has one for all statements of a connection. */
    static int timeLimit(Connection connection) throws SQLException {
        try (Statement other = connection.createStatement()) {
            return other.getQueryTimeout();
        }
    }

    Connection watched(Connection connection) {
        return proxy(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                givenBack.add((connection.getAutoCommit() ? "auto-commit" : "in a transaction") + ", isolation "
                        + connection.getTransactionIsolation() + ", time limit " + timeLimit(connection));
            }
            if (method.getName().equals("commit") && isToFail("commit")) {
                connection.rollback();
                throw new SQLException("the commit failed");
            }
            Object result = invoke(() -> method.invoke(connection, arguments));
            return result instanceof Statement statement
                    ? watched(statement, method.getReturnType(), arguments == null ? null : arguments[0])
                    : result;
        });
    }

    private Object watched(Statement statement, Class<?> type, Object text) {
        return proxy(type, (proxy, method, arguments) -> {
            boolean isExecution = method.getName().startsWith("execute");
            if (isExecution) {
                executed++;
                String executing = String.valueOf(arguments == null ? text : arguments[0]);
                longest = Math.max(longest, executing.length());
                if (isToFail(executing)) {
                    // MariaDB accepts a division by zero, so an unknown column follows.
                    Database.execute(statement.getConnection(), "SELECT 1 / 0");
                    Database.execute(statement.getConnection(), "SELECT no_such_column");
                }
            }
            Object result = invoke(() -> method.invoke(statement, arguments));
            if (isExecution && executed == interrupted) {
                interrupted = 0;
                interruption.run();
            }
            return result;
        });
    }

    private boolean isToFail(String what) {
        steps++;
        if (failing > 0) {
            ran.add(what);
        }
        if (steps == failing) {
            lastFailed = what;
            failed.add(what);
        }
        return steps == failing;
    }

    private static Object invoke(Call call) throws Throwable {
        try {
            return call.make();
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private interface Call {
        Object make() throws ReflectiveOperationException;
    }
}
