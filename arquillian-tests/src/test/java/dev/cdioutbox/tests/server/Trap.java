package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.jms.JMSException;

import org.apache.activemq.broker.Broker;
import org.apache.activemq.broker.BrokerFilter;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.broker.ProducerBrokerExchange;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.apache.activemq.command.Message;
import org.apache.activemq.command.TransactionId;

/**
 * A broker plugin that stops a transaction at a given place: the broker dies there, or holds the transaction until the
 * test releases it. So a test can kill the server exactly there. A file sets the trap, for the next transaction that
 * sends to a destination.
 */
public final class Trap extends BrokerFilter {
    /** A text that the broker refuses; with {@code jms.alwaysSyncSend} the send throws. */
    public static final String UNWELCOME = "unwelcome";

    /** The place in the transaction at which the trap springs. */
    public enum Place {
        SEND,
        /** The broker has prepared, and its coordinator has no answer. */
        PREPARED,
        COMMIT,
        /** The broker has committed, and its coordinator has no answer. */
        COMMITTED
    }

    /** The effect of the trap. */
    enum Deed {
        DIE,
        HOLD
    }

    private final Path order;
    private final Path sprung;
    private final Set<TransactionId> marked = ConcurrentHashMap.newKeySet();

    Trap(Broker next, Path home) {
        super(next);
        order = order(home);
        sprung = sprung(home);
    }

    static void set(Path home, Deed deed, Place place, String destination) throws IOException {
        Files.deleteIfExists(sprung(home));
        Path written = Files.writeString(home.resolve("trap.new"), deed + " " + place + " " + destination);
        Files.move(written, order(home), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Releases a held transaction. The sender must be dead: a held send or commit then fails. */
    static void release(Path home) throws IOException {
        Files.deleteIfExists(order(home));
    }

    static boolean isSprung(Path home) {
        return Files.exists(sprung(home));
    }

    private static Path order(Path home) {
        return home.resolve("trap");
    }

    private static Path sprung(Path home) {
        return home.resolve("trap.sprung");
    }

    @Override
    public void send(ProducerBrokerExchange producer, Message message) throws Exception {
        String set = set();
        if (message.getTransactionId() != null
                && set.endsWith(" " + message.getDestination().getPhysicalName())) {
            marked.add(message.getTransactionId());
            spring(Place.SEND, message.getTransactionId());
        }
        if (message instanceof ActiveMQTextMessage text && UNWELCOME.equals(text.getText())) {
            throw new JMSException("no such messages here");
        }
        super.send(producer, message);
    }

    @Override
    public int prepareTransaction(ConnectionContext context, TransactionId transaction) throws Exception {
        int vote = super.prepareTransaction(context, transaction);
        spring(Place.PREPARED, transaction);
        return vote;
    }

    @Override
    public void commitTransaction(ConnectionContext context, TransactionId transaction, boolean onePhase)
            throws Exception {
        spring(Place.COMMIT, transaction);
        super.commitTransaction(context, transaction, onePhase);
        spring(Place.COMMITTED, transaction);
    }

    private String set() throws IOException {
        return Files.exists(order) && !Files.exists(sprung) ? Files.readString(order) : "";
    }

    private void spring(Place place, TransactionId transaction) throws Exception {
        String set = set();
        if (!marked.contains(transaction) || !set.contains(" " + place + " ")) {
            return;
        }
        Files.createFile(sprung);
        if (set.startsWith(Deed.DIE.name())) {
            Runtime.getRuntime().halt(137);
        }
        while (Files.exists(order)) {
            Thread.sleep(20);
        }
        if (place == Place.SEND || place == Place.COMMIT) {
            throw new IllegalStateException("nobody asks for this any more");
        }
    }
}
