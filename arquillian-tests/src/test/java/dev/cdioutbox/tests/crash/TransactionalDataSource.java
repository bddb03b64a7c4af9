package dev.cdioutbox.tests.crash;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.Statement;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import javax.sql.XAConnection;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * The pooled DataSource of a node. In a JTA transaction all callers share one enlisted connection; outside, each caller
 * has its own. The DataSource reports each statement to the {@link Breakpoint}.
 */
final class TransactionalDataSource {
    private static final Pattern SETTINGS = Pattern.compile("^SELECT set_config[^;]*;\\s*");

    private static final Set<String> OF_THE_TRANSACTION = Set.of("close", "commit", "rollback", "setAutoCommit");

    private final Node node;
    private final TransactionManager manager;
    private final TransactionSynchronizationRegistry registry;
    private Connection outside;

    TransactionalDataSource(Node node, TransactionManager manager, TransactionSynchronizationRegistry registry) {
        this.node = node;
        this.manager = manager;
        this.registry = registry;
    }

    DataSource dataSource() {
        return proxy(DataSource.class, (method, arguments) -> {
            if (method.getName().equals("isWrapperFor")) {
                return false;
            }
            if (method.getName().equals("getConnection")) {
                return connection();
            }
            throw new UnsupportedOperationException(method.getName());
        });
    }

    private Connection connection() throws SQLException {
        return registry.getTransactionStatus() == Status.STATUS_NO_TRANSACTION
                ? unshared()
                : enlisted().handle();
    }

    private Connection unshared() throws SQLException {
        XAConnection pooled = node.resources().takeDatabase();
        Connection connection = pooled.getConnection();
        return proxy(Connection.class, (method, arguments) -> {
            if (method.getName().equals("close")) {
                connection.close();
                node.resources().giveBack(pooled, true);
                return null;
            }
            return statement(call(connection, method, arguments), null, arguments);
        });
    }

    /** Wrong on purpose: a connection outside of the transaction. */
    private synchronized Connection outside() throws SQLException {
        if (outside == null) {
            outside = unshared();
        }
        return outside;
    }

    private Enlisted enlisted() throws SQLException {
        if (registry.getResource(this) instanceof Enlisted already) {
            return already;
        }
        if (registry.getTransactionStatus() != Status.STATUS_ACTIVE) {
            throw new SQLException("The transaction is not active any more.");
        }
        XAConnection pooled = node.resources().takeDatabase();
        Branch branch = new Branch(Branch.Role.DATABASE, pooled.getXAResource());
        Enlisted enlisted = new Enlisted(pooled, pooled.getConnection(), branch);
        try {
            manager.getTransaction().enlistResource(branch);
        } catch (RollbackException | SystemException e) {
            node.resources().giveBack(pooled, false);
            throw new SQLException("The connection cannot be enlisted.", e);
        }
        registry.putResource(this, enlisted);
        registry.registerInterposedSynchronization(enlisted);
        return enlisted;
    }

    /** @param branch of the statement's transaction; null for one outside of JTA */
    private Object statement(Object result, Branch branch, Object... arguments) {
        if (result instanceof Statement statement) {
            String prepared = statement instanceof PreparedStatement ? (String) arguments[0] : null;
            Class<?> type = prepared == null ? Statement.class : PreparedStatement.class;
            return proxy(type, (method, values) -> {
                if (!method.getName().startsWith("execute")) {
                    return call(statement, method, values);
                }
                return execute(statement, prepared == null ? (String) values[0] : prepared, branch, method, values);
            });
        }
        return result;
    }

    private Object execute(Statement statement, String sql, Branch branch, Method method, Object... values)
            throws SQLException {
        String flat = flat(sql);
        node.breakpoint().reached(Points.before(flat));
        Object result;
        if (branch == null) {
            result = call(statement, method, values);
        } else {
            // A time-out of the transaction ends the branch on another thread. The lock keeps the end from coming
            // between this check and the call.
            synchronized (branch) {
                if (branch.isEnded()) {
                    throw new SQLRecoverableException("The transaction has ended.");
                }
                result = call(statement, method, values);
            }
        }
        node.breakpoint().reached(Points.after(flat));
        return result;
    }

    /** In one line, without the query in front that changes settings, and without the schema that the engine names. */
    private static String flat(String sql) {
        return SETTINGS.matcher(sql.strip())
                .replaceFirst("")
                .replaceAll("\\s+", " ")
                .replace("\"public\".", "");
    }

    private Object call(Object target, Method method, Object... arguments) throws SQLException {
        Object[] values = arguments;
        if (method.getName().equals("prepareStatement") && node.wrong() != null) {
            values = arguments.clone();
            Matcher settings = SETTINGS.matcher((String) arguments[0]);
            values[0] = (settings.find() ? settings.group() : "") + node.wrong().rewrite(flat((String) arguments[0]));
        }
        try {
            return method.invoke(target, values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException failure) {
                throw failure;
            }
            throw new SQLException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new SQLException(e);
        }
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                TransactionalDataSource.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> handler.call(method, arguments)));
    }

    private interface Handler {
        Object call(Method method, Object... arguments) throws SQLException;
    }

    /** The connection that all callers in a transaction share. */
    private final class Enlisted implements Synchronization {
        private final XAConnection pooled;
        private final Connection connection;
        private final Branch branch;

        Enlisted(XAConnection pooled, Connection connection, Branch branch) {
            this.pooled = pooled;
            this.connection = connection;
            this.branch = branch;
        }

        Connection handle() {
            return proxy(Connection.class, (method, arguments) -> {
                if (OF_THE_TRANSACTION.contains(method.getName())) {
                    return null;
                }
                if (method.getName().equals("prepareStatement")
                        && node.wrong() == WrongEngine.CAPTURE_OUTSIDE_THE_TRANSACTION
                        && flat((String) arguments[0]).startsWith("WITH inserted AS (INSERT INTO outbox_message")) {
                    return call(outside(), method, arguments);
                }
                return statement(call(connection, method, arguments), branch, arguments);
            });
        }

        @Override
        public void beforeCompletion() {
            // The connection must live until the end of the transaction.
        }

        @Override
        public void afterCompletion(int status) {
            node.resources().giveBack(pooled, !branch.isFailed());
        }
    }
}
