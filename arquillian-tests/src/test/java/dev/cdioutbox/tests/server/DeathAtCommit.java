package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.activemq.broker.Broker;
import org.apache.activemq.broker.BrokerFilter;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.broker.ProducerBrokerExchange;
import org.apache.activemq.command.Message;
import org.apache.activemq.command.TransactionId;

/**
 * A broker that dies, when a file asks for it, at the commit of a transaction that was prepared and sends to the destination
 * which the file names: just before the commit, or just after it and before the answer.
 */
final class DeathAtCommit extends BrokerFilter {
    private final Path before;
    private final Path after;
    private final Set<TransactionId> doomed = ConcurrentHashMap.newKeySet();

    DeathAtCommit(Broker next, Path home) {
        super(next);
        before = before(home);
        after = after(home);
    }

    static Path before(Path home) {
        return home.resolve("die-before-commit");
    }

    static Path after(Path home) {
        return home.resolve("die-after-commit");
    }

    @Override
    public void send(ProducerBrokerExchange producer, Message message) throws Exception {
        if (message.getTransactionId() != null && (names(before, message) || names(after, message))) {
            doomed.add(message.getTransactionId());
        }
        super.send(producer, message);
    }

    private static boolean names(Path order, Message message) {
        try {
            return Files.exists(order)
                    && Files.readString(order).equals(message.getDestination().getPhysicalName());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void commitTransaction(ConnectionContext context, TransactionId transaction, boolean onePhase)
            throws Exception {
        boolean dies = doomed.remove(transaction);
        if (dies && Files.deleteIfExists(before)) {
            Runtime.getRuntime().halt(137);
        }
        super.commitTransaction(context, transaction, onePhase);
        if (dies && Files.deleteIfExists(after)) {
            Runtime.getRuntime().halt(137);
        }
    }
}
