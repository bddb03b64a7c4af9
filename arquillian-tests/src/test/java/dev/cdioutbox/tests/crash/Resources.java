package dev.cdioutbox.tests.crash;

import java.sql.SQLException;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;

import jakarta.jms.JMSException;

import org.apache.activemq.ActiveMQXAConnection;
import org.apache.activemq.ActiveMQXAConnectionFactory;
import org.apache.activemq.RedeliveryPolicy;
import org.postgresql.xa.PGXADataSource;

/** The connections of a node to the database and the broker: pooled ones, and new ones for recovery. Thread-safe. */
final class Resources {
    private static final int VALIDATION_SECONDS = 5;

    private final PGXADataSource database = new PGXADataSource();
    private final ActiveMQXAConnectionFactory broker;
    private final Deque<XAConnection> idleDatabase = new ConcurrentLinkedDeque<>();
    private final Deque<ActiveMQXAConnection> idleBroker = new ConcurrentLinkedDeque<>();

    /**
     * @param databaseUrl the JDBC URL
     * @param brokerUrl the ActiveMQ URL
     * @param name the application name of the connections in the database
     */
    Resources(String databaseUrl, String brokerUrl, String name) {
        database.setUrl(databaseUrl);
        database.setApplicationName(name);
        broker = new ActiveMQXAConnectionFactory(brokerUrl);
        // Each consumer gets one message.
        broker.getPrefetchPolicy().setQueuePrefetch(0);
        broker.getRedeliveryPolicy().setMaximumRedeliveries(RedeliveryPolicy.NO_MAXIMUM_REDELIVERIES);
    }

    XAConnection takeDatabase() throws SQLException {
        for (XAConnection idle = idleDatabase.poll(); idle != null; idle = idleDatabase.poll()) {
            if (idle.getConnection().isValid(VALIDATION_SECONDS)) {
                return idle;
            }
            discard(idle);
        }
        return database.getXAConnection();
    }

    void giveBack(XAConnection connection, boolean usable) {
        if (usable) {
            idleDatabase.push(connection);
        } else {
            discard(connection);
        }
    }

    ActiveMQXAConnection takeBroker() throws JMSException {
        for (ActiveMQXAConnection idle = idleBroker.poll(); idle != null; idle = idleBroker.poll()) {
            if (!idle.isTransportFailed() && !idle.isClosed()) {
                return idle;
            }
            discard(idle);
        }
        ActiveMQXAConnection connection = (ActiveMQXAConnection) broker.createXAConnection();
        try {
            connection.start();
            return connection;
        } catch (JMSException e) {
            discard(connection);
            throw e;
        }
    }

    void giveBack(ActiveMQXAConnection connection, boolean usable) {
        if (usable) {
            idleBroker.push(connection);
        } else {
            discard(connection);
        }
    }

    private static void discard(XAConnection connection) {
        try {
            connection.close();
        } catch (SQLException alreadyClosed) {
            // The connection is out of the pool already.
        }
    }

    private static void discard(ActiveMQXAConnection connection) {
        try {
            connection.close();
        } catch (JMSException alreadyClosed) {
            // The connection is out of the pool already.
        }
    }

    /** Opens a connection outside of the pool, for one call of the recovery. */
    Recovering recovering(Branch.Role role) throws XAException {
        try {
            if (role == Branch.Role.DATABASE) {
                XAConnection connection = database.getXAConnection();
                return new Recovering(connection.getXAResource(), () -> discard(connection));
            }
            ActiveMQXAConnection connection = (ActiveMQXAConnection) broker.createXAConnection();
            try {
                connection.start();
                return new Recovering(connection.createXASession().getXAResource(), () -> discard(connection));
            } catch (JMSException e) {
                discard(connection);
                throw e;
            }
        } catch (SQLException | JMSException e) {
            XAException unreachable = new XAException(XAException.XAER_RMFAIL);
            unreachable.initCause(e);
            throw unreachable;
        }
    }

    /** The XA resource of a branch, with the action that closes its connection. */
    record Recovering(XAResource resource, Runnable closing) implements AutoCloseable {
        @Override
        public void close() {
            closing.run();
        }
    }
}
