package dev.cdioutbox.tests.crash;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Handles messages as a bean of an application does: the work is a row for each message, without any constraint. Reports each call to
 * the {@link Breakpoint}. {@link Sends} may refuse or delay a message, and a {@link WrongEngine} works outside of the transaction.
 */
final class HandlerEdge implements OutboxPublisher {
    /** The table of the work, in the order of the calls. */
    static final String TABLE = "CREATE TABLE handled (place BIGSERIAL PRIMARY KEY, payload TEXT NOT NULL)";

    private final Node node;
    private final Sends sends;
    private final DataSource dataSource;
    private final TransactionManager transactions;

    HandlerEdge(Node node, Sends sends, DataSource dataSource, TransactionManager transactions) {
        this.node = node;
        this.sends = sends;
        this.dataSource = dataSource;
        this.transactions = transactions;
    }

    @Override
    public boolean joinsTransactions() {
        return true;
    }

    @Override
    public void probe(DestinationId destination) {
        // There is no broker.
    }

    @Override
    public Sender open(DestinationId destination) {
        List<OutboxMessage> messages = new ArrayList<>();
        return new Sender() {
            @Override
            public void send(OutboxMessage message) {
                messages.add(message);
            }

            @Override
            public Map<OutboxMessage, PublishException> complete() {
                for (OutboxMessage message : messages) {
                    try {
                        handle(message);
                    } catch (Exception e) {
                        return Map.of(message, new PublishException(Blame.UNKNOWN, "the handler failed", e));
                    }
                }
                return Map.of();
            }

            @Override
            public void close() {
                // The transaction has no resource of this sender.
            }
        };
    }

    /** A failure comes after the work, which has to be rolled back. */
    private void handle(OutboxMessage message) throws Exception {
        node.breakpoint().reached(Point.MID_SEND);
        String payload = message.body().text();
        if (node.wrong() == WrongEngine.WORK_OUTSIDE_THE_TRANSACTION) {
            outside(() -> work(payload));
        } else {
            work(payload);
        }
        node.breakpoint().reached(Point.AFTER_LAST_SEND);
        if (sends.refuses(message.id().toString(), payload)) {
            throw new IllegalStateException("The harness refuses this message.");
        }
    }

    private Void work(String payload) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO handled (payload) VALUES (?)")) {
            insert.setString(1, payload);
            insert.executeUpdate();
            return null;
        }
    }

    private void outside(Callable<Void> work) throws Exception {
        Transaction suspended = transactions.suspend();
        try {
            work.call();
        } finally {
            transactions.resume(suspended);
        }
    }
}
