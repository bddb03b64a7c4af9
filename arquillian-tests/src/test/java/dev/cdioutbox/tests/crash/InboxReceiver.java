package dev.cdioutbox.tests.crash;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.transaction.TransactionManager;

import dev.cdioutbox.jms.Inbox;

/** Receives messages and stores them for a handler, each in a transaction, as a message-driven bean does. */
final class InboxReceiver {
    static final String HANDLER = "shipping";

    private static final long WAIT_MILLIS = 500;

    private final Node node;
    private final NodeTransactions transactions;
    private final ConnectionFactory factory;
    private final Queue queue;
    private final Inbox inbox;

    InboxReceiver(Node node, NodeTransactions transactions, ConnectionFactory factory, Queue queue, Inbox inbox) {
        this.node = node;
        this.transactions = transactions;
        this.factory = factory;
        this.queue = queue;
        this.inbox = inbox;
    }

    void receive() throws Exception {
        TransactionManager manager = transactions.manager();
        manager.begin();
        boolean received;
        // The session lives until the transaction ends, and its consumer with it.
        try (Connection connection = factory.createConnection()) {
            Message message = connection.createSession().createConsumer(queue).receive(WAIT_MILLIS);
            received = message != null;
            if (received) {
                accept(message);
            }
        } catch (Exception | Error e) {
            manager.rollback();
            throw e;
        }
        if (received) {
            manager.commit();
        } else {
            manager.rollback();
        }
    }

    private void accept(Message message) throws Exception {
        node.breakpoint().reached(Point.BEFORE_ACCEPT);
        if (node.wrong() == WrongEngine.ACCEPT_APART) {
            transactions.inNew(() -> inbox.accept(message, HANDLER));
        } else {
            inbox.accept(message, HANDLER);
        }
        node.breakpoint().reached(Point.AFTER_ACCEPT);
    }
}
