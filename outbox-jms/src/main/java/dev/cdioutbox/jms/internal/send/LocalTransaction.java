package dev.cdioutbox.jms.internal.send;

import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Session;
import jakarta.jms.TransactionInProgressException;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.spi.PublishException;

/**
 * The transaction of a session that is not a branch of the JTA transaction, because no container manages its connection
 * factory. Only the outbox can commit it: without that, the rows would be settled and the broker would drop the messages.
 * Commits the session just before the JTA transaction, so that a rollback takes its messages back.
 */
public final class LocalTransaction implements Synchronization {
    private static final Logger LOG = Logger.getLogger(LocalTransaction.class.getName());

    /** The provider name of Liberty's own messaging. */
    private static final String LIBERTY = "IBM";

    private final TransactionSynchronizationRegistry registry;
    private final Connection connection;
    private final Session session;

    /** @param registry of the transaction in which the session was opened */
    LocalTransaction(TransactionSynchronizationRegistry registry, Connection connection, Session session) {
        this.registry = registry;
        this.connection = connection;
        this.session = session;
    }

    /** Whether this is a connection to Liberty's own messaging. */
    static boolean isLibertys(Connection connection) throws JMSException {
        return LIBERTY.equals(connection.getMetaData().getJMSProviderName());
    }

    /**
     * Whether a new session has a local transaction. A branch of a JTA transaction has to refuse the commit (Jakarta
     * Messaging, 6.2.7 and TransactionInProgressException).
     */
    public static boolean isOf(Connection connection, Session session) throws JMSException {
        if (isLibertys(connection)) {
            // Always managed. For each commit that it refuses, Liberty writes an FFDC incident.
            return false;
        }
        try {
            session.commit();
            return true;
        } catch (IllegalStateException | TransactionInProgressException refused) {
            return false;
        }
    }

    @Override
    public void beforeCompletion() {
        try {
            session.commit();
        } catch (JMSException e) {
            // On Liberty an exception from a synchronization causes the rollback, but other servers may ignore it.
            registry.setRollbackOnly();
            String problem = "the JMS session could not be committed";
            PublishException reason = new PublishException(SendFailureClassifier.blame(e), problem, e);
            throw (JMSRuntimeException) new JMSRuntimeException(problem).initCause(reason);
        }
    }

    @Override
    public void afterCompletion(int status) {
        close(connection);
    }

    public static void close(Connection connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (JMSException | RuntimeException e) {
                // A rethrow would roll back a good batch, in every attempt.
                LOG.log(Level.FINE, "a JMS connection could not be closed", e);
            }
        }
    }
}
