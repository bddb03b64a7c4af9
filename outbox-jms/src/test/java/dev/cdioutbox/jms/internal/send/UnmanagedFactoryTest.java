package dev.cdioutbox.jms.internal.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import javax.naming.Context;
import javax.naming.spi.InitialContextFactory;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import jakarta.jms.TransactionRolledBackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.observe.trace.TelemetryTraces;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A connection factory that no container manages gives sessions outside of the JTA transaction. With at-least-once, the
 * publisher commits such a session together with the transaction; with exactly-once, it refuses the factory.
 */
class UnmanagedFactoryTest {
    private static final DestinationId DEFAULT = DestinationId.ofDefaultOutbox("default");

    private static UnmanagedFactoryTest test;

    private final List<String> staged = new ArrayList<>();
    private final List<String> delivered = new ArrayList<>();
    private final List<Synchronization> transaction = new ArrayList<>();
    private boolean transacted = true;
    private JMSException commitFailure;
    private String providerName = "a client";
    private boolean closed;

    @BeforeEach
    void name() {
        test = this;
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, Names.class.getName());
    }

    @AfterEach
    void forget() {
        System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
    }

    @Test
    void atLeastOnceCommitsTheSessionWithTheTransactionOfTheSends() throws PublishException {
        send(Guarantee.AT_LEAST_ONCE);
        assertThat(delivered).as("the transaction may still roll back").isEmpty();

        commit();

        assertThat(delivered).containsExactly("sent");
        assertThat(closed).isTrue();
    }

    @Test
    void sendsOfATransactionThatRollsBackAreNotCommitted() throws PublishException {
        send(Guarantee.AT_LEAST_ONCE);

        transaction.forEach(end -> end.afterCompletion(Status.STATUS_ROLLEDBACK));

        assertThat(delivered).isEmpty();
        assertThat(closed).isTrue();
    }

    /** Otherwise the rows would be settled though the broker has nothing. */
    @Test
    void sessionThatCannotBeCommittedRollsTheTransactionBack() throws PublishException {
        send(Guarantee.AT_LEAST_ONCE);
        commitFailure = new TransactionRolledBackException("no room");

        assertThatThrownBy(this::commit).hasRootCauseMessage("no room");

        assertThat(delivered).isEmpty();
    }

    @Test
    void sessionThatFindsNoRoomAtTheCommitSaysThatTheDestinationIsFull() throws PublishException {
        send(Guarantee.AT_LEAST_ONCE);
        commitFailure = new JMSException("JMSWMQ0018: reason '2192' ('MQRC_STORAGE_MEDIUM_FULL')");

        assertThatThrownBy(this::commit)
                .hasCauseInstanceOf(PublishException.class)
                .satisfies(e -> assertThat(((PublishException) e.getCause()).blame())
                        .isEqualTo(PublishException.Blame.DESTINATION_FULL));
    }

    /** An answer to a probe is worth the more if the broker has committed it. */
    @Test
    void probeOfAtLeastOnceIsCommitted() throws PublishException {
        publisher(Guarantee.AT_LEAST_ONCE).probe(DEFAULT);

        assertThat(delivered).containsExactly("probe");
    }

    @Test
    void exactlyOnceRefusesTheFactoryBeforeAnyMessageIsSent() {
        JmsPublisher publisher = publisher(Guarantee.EXACTLY_ONCE);

        assertThatThrownBy(() -> publisher.probe(DEFAULT))
                .as("no outage, so that OBX-0403 says so")
                .isNotInstanceOf(PublishException.class)
                .hasMessageStartingWith("OBX-0517")
                .hasMessageContaining("jms/factory");
        assertThatThrownBy(() -> publisher.open(DEFAULT))
                .as("a factory that was exchanged behind its name")
                .isInstanceOfSatisfying(PublishException.class, e -> assertThat(e.blame())
                        .isEqualTo(PublishException.Blame.DESTINATION))
                .hasMessageStartingWith("OBX-0517");
        assertThat(staged).isEmpty();
        assertThat(delivered).isEmpty();
        assertThat(closed).isTrue();
    }

    @Test
    void exactlyOnceRefusesASessionWithoutAnyTransaction() {
        transacted = false;
        commitFailure = new jakarta.jms.IllegalStateException("not transacted");

        assertThatThrownBy(() -> publisher(Guarantee.EXACTLY_ONCE).probe(DEFAULT))
                .hasMessageStartingWith("OBX-0517");
    }

    @Test
    void sessionThatIsABranchOfTheTransactionIsLeftToTheContainer() throws PublishException {
        commitFailure = new jakarta.jms.IllegalStateException("a JTA transaction is active");

        for (Guarantee delivery : Guarantee.values()) {
            send(delivery);
            assertThat(closed).as("the handle goes back at once").isTrue();
            assertThatCode(this::commit).doesNotThrowAnyException();
        }
    }

    /** Liberty writes an FFDC incident for each refused commit. */
    @Test
    void libertysOwnMessagingIsNotAsked() throws PublishException {
        providerName = "IBM";
        commitFailure = new JMSException("an FFDC incident");

        assertThatCode(() -> send(Guarantee.EXACTLY_ONCE)).doesNotThrowAnyException();
    }

    private void send(Guarantee delivery) throws PublishException {
        closed = false;
        OutboxMessage message = MappedProperties.message(
                new StoredMessage.Event("OrderPlaced", 1, null, null),
                StoredMessage.Context.NONE,
                StoredMessage.Terms.NONE);
        try (OutboxPublisher.Sender sender = publisher(delivery).open(DEFAULT)) {
            sender.send(message);
        }
    }

    private void commit() {
        transaction.forEach(Synchronization::beforeCompletion);
        transaction.forEach(end -> end.afterCompletion(Status.STATUS_COMMITTED));
    }

    private static JmsPublisher publisher(Guarantee delivery) {
        return new JmsPublisher(JmsPublisherTest.outboxes("jms/factory", delivery), new TelemetryTraces());
    }

    private Object named(String name) {
        return switch (name) {
            case "jms/factory" ->
                fake(ConnectionFactory.class, (method, arguments) -> fake(Connection.class, this::onConnection));
            case "java:comp/TransactionSynchronizationRegistry" ->
                fake(
                        TransactionSynchronizationRegistry.class,
                        (method, arguments) -> method.equals("registerInterposedSynchronization")
                                ? transaction.add((Synchronization) arguments[0]) ? null : null
                                : null);
            default -> fake(Queue.class, (method, arguments) -> "outbox");
        };
    }

    private Object onConnection(String method, Object... arguments) {
        switch (method) {
            case "getMetaData":
                return fake(ConnectionMetaData.class, (name, none) -> providerName);
            case "createSession":
                return fake(Session.class, this::onSession);
            case "close":
                closed = true;
                staged.clear();
                return null;
            default:
                return null;
        }
    }

    private Object onSession(String method, Object... arguments) throws JMSException {
        switch (method) {
            case "getTransacted":
                return transacted;
            case "commit":
                if (commitFailure != null) {
                    throw commitFailure;
                }
                delivered.addAll(staged);
                staged.clear();
                return null;
            case "createTemporaryQueue":
                return fake(TemporaryQueue.class, (name, none) -> null);
            case "createProducer":
                boolean isProbe = arguments[0] instanceof TemporaryQueue;
                return fake(
                        MessageProducer.class,
                        (name, sent) -> name.equals("send") && staged.add(isProbe ? "probe" : "sent") ? null : null);
            case "createTextMessage":
                return fake(TextMessage.class, (name, values) -> null);
            default:
                return null;
        }
    }

    private static <T> T fake(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                UnmanagedFactoryTest.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.on(method.getName(), arguments)));
    }

    private interface Call {
        Object on(String method, Object... arguments) throws JMSException;
    }

    /** The JNDI context of the test. */
    public static final class Names implements InitialContextFactory {
        @Override
        public Context getInitialContext(Hashtable<?, ?> environment) {
            return fake(
                    Context.class,
                    (method, arguments) -> method.equals("lookup") ? test.named(String.valueOf(arguments[0])) : null);
        }
    }
}
