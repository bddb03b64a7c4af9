package dev.cdioutbox.tests.crash;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.XASession;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;

import org.apache.activemq.ActiveMQXAConnection;

/**
 * The pooled connection factory of a node, in place of ActiveMQ's resource adapter. The factory enlists each new
 * session in the thread's transaction, and reports the sends to the {@link Breakpoint}. {@link Sends} may refuse or
 * delay a send.
 */
final class TransactionalConnectionFactory {
    private final Node node;
    private final TransactionManager manager;
    private final TransactionSynchronizationRegistry registry;
    private final Sends sends;

    TransactionalConnectionFactory(
            Node node, TransactionManager manager, TransactionSynchronizationRegistry registry, Sends sends) {
        this.node = node;
        this.manager = manager;
        this.registry = registry;
        this.sends = sends;
    }

    ConnectionFactory connectionFactory() {
        return proxy(ConnectionFactory.class, (method, arguments) -> {
            if (method.getName().equals("createConnection")) {
                return connection();
            }
            throw new UnsupportedOperationException(method.getName());
        });
    }

    private Connection connection() throws JMSException {
        ActiveMQXAConnection pooled = node.resources().takeBroker();
        Handle handle = new Handle(pooled);
        return proxy(Connection.class, (method, arguments) -> switch (method.getName()) {
            case "createSession" -> handle.session();
            case "close" -> handle.close();
            default -> call(pooled, method, arguments);
        });
    }

    private static Object call(Object target, Method method, Object... arguments) throws JMSException {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof JMSException failure) {
                throw failure;
            }
            throw (JMSException) new JMSException(String.valueOf(e.getCause())).initCause(e.getCause());
        } catch (IllegalAccessException e) {
            throw (JMSException) new JMSException(e.getMessage()).initCause(e);
        }
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                TransactionalConnectionFactory.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> handler.call(method, arguments)));
    }

    private interface Handler {
        Object call(Method method, Object... arguments) throws JMSException;
    }

    /** A connection that the publisher uses, with its session, which lives until the transaction ends. */
    private final class Handle implements Synchronization {
        private final ActiveMQXAConnection pooled;
        private XASession session;
        private Branch branch;
        private int sent;

        Handle(ActiveMQXAConnection pooled) {
            this.pooled = pooled;
        }

        Session session() throws JMSException {
            requireTransaction();
            session = pooled.createXASession();
            branch = new Branch(Branch.Role.BROKER, session.getXAResource());
            registry.registerInterposedSynchronization(this);
            try {
                manager.getTransaction().enlistResource(branch);
            } catch (RollbackException | SystemException e) {
                throw (JMSException) new JMSException("The session cannot be enlisted.").initCause(e);
            }
            return proxy(Session.class, (method, arguments) -> switch (method.getName()) {
                case "close" -> null;
                case "createProducer" -> producer((MessageProducer) call(session, method, arguments));
                default -> call(session, method, arguments);
            });
        }

        private MessageProducer producer(MessageProducer producer) {
            return proxy(MessageProducer.class, (method, arguments) -> {
                if (!method.getName().equals("send")) {
                    return call(producer, method, arguments);
                }
                if (sent > 0) {
                    node.breakpoint().reached(Point.MID_SEND);
                }
                requireTransaction();
                if (sends.admit(arguments[0])) {
                    call(producer, method, arguments);
                }
                sent++;
                return null;
            });
        }

        /**
         * Narayana's reaper ends a transaction that has timed out on its own thread. Then ActiveMQ would send at once, and
         * not in the transaction. Open Liberty only marks the transaction for rollback while a thread works in it ({@code
         * EmbeddableTransactionImpl.timeoutTransaction}).
         */
        private void requireTransaction() throws JMSException {
            if (registry.getTransactionStatus() != Status.STATUS_ACTIVE) {
                throw new JMSException("No transaction is active.");
            }
        }

        Object close() {
            if (session == null) {
                node.resources().giveBack(pooled, true);
            } else if (sent > 0) {
                node.breakpoint().reached(Point.AFTER_LAST_SEND);
            }
            return null;
        }

        @Override
        public void beforeCompletion() {
            // The session must live until the end of the transaction.
        }

        @Override
        public void afterCompletion(int status) {
            boolean usable = branch != null && !branch.isFailed();
            try {
                session.close();
            } catch (JMSException e) {
                usable = false;
            }
            node.resources().giveBack(pooled, usable);
        }
    }
}
