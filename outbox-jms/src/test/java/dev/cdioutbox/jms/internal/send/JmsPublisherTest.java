package dev.cdioutbox.jms.internal.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.naming.Context;
import javax.naming.spi.InitialContextFactory;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TransactionInProgressException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.OutboxConfig.CaptureConfig;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With exactly-once, the publisher uses a changed connection factory only after its probe has committed. */
class JmsPublisherTest {
    private static final DestinationId DEFAULT = DestinationId.ofDefaultOutbox("default");

    private static final List<String> connected = new ArrayList<>();
    private static final List<Synchronization> transactions = new ArrayList<>();
    private static boolean away;
    private static JMSException sendFailure;
    private static String providerName;
    private static final AtomicInteger closed = new AtomicInteger();
    private static final AtomicInteger temporaryQueues = new AtomicInteger();
    private static final AtomicInteger sent = new AtomicInteger();
    private static final Map<Object, Object> resources = new HashMap<>();

    private final JmsPublisher publisher = new JmsPublisher();

    @BeforeEach
    void name() {
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, Names.class.getName());
        connected.clear();
        transactions.clear();
        resources.clear();
        closed.set(0);
        temporaryQueues.set(0);
        sent.set(0);
        providerName = null;
        away = false;
        sendFailure = null;
        configure("one", Guarantee.EXACTLY_ONCE);
    }

    @AfterEach
    void forget() {
        System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
    }

    @Test
    void whatCameIntoForceSinceTheProofIsNotSentBy() throws PublishException {
        prove();
        configure("two", Guarantee.EXACTLY_ONCE);

        publisher.open(DEFAULT).close();
        prove();
        publisher.open(DEFAULT).close();

        assertThat(connected).containsExactly("one", "one", "two", "two");
    }

    @Test
    void proofThatIsRolledBackIsNone() throws PublishException {
        prove();
        configure("two", Guarantee.EXACTLY_ONCE);
        publisher.probe(DEFAULT);
        end(Status.STATUS_ROLLEDBACK);

        publisher.open(DEFAULT).close();

        assertThat(connected).containsExactly("one", "two", "one");
    }

    @Test
    void whereNothingIsProvenWhatIsInForceCounts() throws PublishException {
        prove();
        configure("two", Guarantee.AT_LEAST_ONCE);
        publisher.open(DEFAULT).close();
        configure("three", Guarantee.EXACTLY_ONCE);
        publisher.open(DEFAULT).close();

        assertThat(connected).containsExactly("one", "two", "three");
    }

    /** Liberty commits a message of a deleted queue to its exception destination, and refuses the commit if that is full. */
    @Test
    void temporaryQueueOfAProbeLivesUntilTheCommitOnLiberty() throws PublishException {
        providerName = "IBM";
        publisher.probe(DEFAULT);
        assertThat(closed).hasValue(0);
        end(Status.STATUS_ROLLEDBACK);
        assertThat(closed).hasValue(1);

        providerName = "ActiveMQ";
        publisher.probe(DEFAULT);
        assertThat(closed)
                .as("a resource adapter wants its handle back before the end")
                .hasValue(2);
    }

    /** Otherwise a batch of refused messages would hold a connection and a temporary queue for each of them. */
    @Test
    void probesOfOneTransactionShareAConnectionOnLiberty() throws PublishException {
        providerName = "IBM";
        publisher.probe(DEFAULT);
        publisher.probe(DEFAULT);
        assertThat(connected).hasSize(1);
        assertThat(temporaryQueues).hasValue(1);
        assertThat(sent).hasValue(2);
        end(Status.STATUS_ROLLEDBACK);
        assertThat(closed).hasValue(1);

        publisher.probe(DEFAULT);
        assertThat(connected).as("the next transaction").hasSize(2);
    }

    /** Liberty refuses a commit for which its store has no room, and reports no reason. */
    @Test
    void roomIsAskedForByAPersistentMessageOnLibertyAndNowhereElse() throws PublishException {
        providerName = "ActiveMQ";
        publisher.checkRoom(DEFAULT);
        assertThat(sent).hasValue(0);

        providerName = "IBM";
        publisher.checkRoom(DEFAULT);
        assertThat(sent).hasValue(1);

        sendFailure = new JMSException("CWSIS1002E: PersistenceFullException: CWSIS1574E");
        assertThatThrownBy(() -> publisher.checkRoom(DEFAULT))
                .isInstanceOfSatisfying(
                        PublishException.class, e -> assertThat(e.blame()).isEqualTo(Blame.DESTINATION_FULL))
                .hasMessageStartingWith("OBX-0541");

        sendFailure = new JMSException("the engine has stopped");
        assertThatCode(() -> publisher.checkRoom(DEFAULT))
                .as("the probe tells better")
                .doesNotThrowAnyException();
    }

    /** Some resource adapters throw exceptions that no JMS method declares. */
    @Test
    void brokerThatIsAwayIsNoRefusalWhateverIsThrown() {
        away = true;

        assertThatThrownBy(() -> publisher.probe(DEFAULT))
                .isInstanceOfSatisfying(
                        PublishException.class, e -> assertThat(e.blame()).isEqualTo(Blame.DESTINATION));
        assertThatThrownBy(() -> publisher.describe(DEFAULT)).isInstanceOf(PublishException.class);
    }

    /** Liberty's own messaging reports "IBM 1.0" in each release, and IBM MQ reports another name. */
    @Test
    void brokerIsNamedAsItsUsersKnowIt() throws PublishException {
        providerName = "IBM";
        assertThat(publisher.describe(DEFAULT)).isEqualTo("Liberty's messaging");

        providerName = "ActiveMQ";
        assertThat(publisher.describe(DEFAULT)).isEqualTo("ActiveMQ 6.1");
    }

    /** The messages of a removed destination stay pending, since they are not to blame for the missing key. */
    @Test
    void destinationThatIsNoLongerConfiguredIsToBlame() {
        publisher.destinations = new Outboxes(List.of());

        PublishException refused = catchThrowableOfType(
                PublishException.class, () -> publisher.open(DestinationId.of("billing", "ledger")));

        assertThat(refused).hasMessageStartingWith("OBX-0504: destination 'billing/ledger' is no longer configured");
        assertThat(refused.blame()).isEqualTo(Blame.DESTINATION);
    }

    @Test
    void missingQueueIsNamedWithTheKeyOfItsOutbox() {
        DestinationId ledger = DestinationId.of("billing", "ledger");
        publisher.destinations = outboxes(ledger, "jms/no-queue", "one", Guarantee.AT_LEAST_ONCE);

        assertThatThrownBy(() -> publisher.open(ledger))
                .hasMessageStartingWith("OBX-0501: destination 'billing/ledger' has no JMS destination")
                .hasMessageContaining("(key outbox.outboxes.billing.destinations.ledger.jndi)")
                .hasMessageContaining("correct the key if the name is wrong");
    }

    private void prove() throws PublishException {
        publisher.probe(DEFAULT);
        end(Status.STATUS_COMMITTED);
    }

    private static void end(int status) {
        transactions.forEach(transaction -> transaction.afterCompletion(status));
        transactions.clear();
        resources.clear();
    }

    private void configure(String factory, Guarantee delivery) {
        publisher.destinations = outboxes(factory, delivery);
    }

    static Outboxes outboxes(String factory, Guarantee delivery) {
        return outboxes(DEFAULT, "jms/queue", factory, delivery);
    }

    private static Outboxes outboxes(DestinationId id, String jndi, String factory, Guarantee delivery) {
        OutboxConfig config = new OutboxConfig(
                id.outbox(),
                null,
                new CaptureConfig(false, 1 << 20, null),
                Map.of(
                        id.name(),
                        new DestinationConfig("jms", jndi, factory, Duration.ZERO, true, false, null, Map.of())),
                Map.of(),
                new DispatcherConfig(true, Duration.ofSeconds(5), 500, 1 << 22, null, 16, 1, delivery, null, null),
                null,
                null,
                null,
                null,
                null,
                new MessageOptions(false, "/", false),
                Map.of(),
                Map.of());
        return new Outboxes(
                List.of(new OutboxInstance(id.outbox(), new CurrentConfig(config), (JdbcOutboxStore) null)));
    }

    private static Object found(String name) {
        return switch (name) {
            case "java:comp/TransactionSynchronizationRegistry" ->
                Proxy.newProxyInstance(
                        JmsPublisherTest.class.getClassLoader(),
                        new Class<?>[] {TransactionSynchronizationRegistry.class},
                        (proxy, method, arguments) -> switch (method.getName()) {
                            case "getResource" -> resources.get(arguments[0]);
                            case "putResource" -> {
                                resources.put(arguments[0], arguments[1]);
                                yield null;
                            }
                            default -> {
                                transactions.add((Synchronization) arguments[0]);
                                yield null;
                            }
                        });
            case "jms/queue", "cdioutbox/room" -> fake(Queue.class, arguments -> null);
            default ->
                fake(ConnectionFactory.class, arguments -> {
                    if (away) {
                        throw new IllegalStateException("the broker is away");
                    }
                    connected.add(name);
                    return connection();
                });
        };
    }

    private static Connection connection() {
        MessageProducer producer = (MessageProducer) Proxy.newProxyInstance(
                JmsPublisherTest.class.getClassLoader(),
                new Class<?>[] {MessageProducer.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("send") && sendFailure != null) {
                        throw sendFailure;
                    }
                    if (method.getName().equals("send")) {
                        sent.incrementAndGet();
                    }
                    return null;
                });
        Session session = (Session) Proxy.newProxyInstance(
                JmsPublisherTest.class.getClassLoader(),
                new Class<?>[] {Session.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "createTemporaryQueue" -> {
                        temporaryQueues.incrementAndGet();
                        yield fake(TemporaryQueue.class, none -> null);
                    }
                    case "createProducer" -> producer;
                    case "createBytesMessage" -> fake(BytesMessage.class, none -> null);
                    case "getTransacted" -> true;
                    case "commit" -> throw new TransactionInProgressException("the session is a branch");
                    default -> null;
                });
        ConnectionMetaData metaData = (ConnectionMetaData) Proxy.newProxyInstance(
                JmsPublisherTest.class.getClassLoader(),
                new Class<?>[] {ConnectionMetaData.class},
                (proxy, method, arguments) -> method.getName().equals("getJMSProviderName") ? providerName : "6.1");
        return (Connection) Proxy.newProxyInstance(
                JmsPublisherTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getMetaData" -> metaData;
                    case "createSession" -> session;
                    case "close" -> closed.incrementAndGet();
                    default -> null;
                });
    }

    private static <T> T fake(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                JmsPublisherTest.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(arguments)));
    }

    private interface Answer {
        Object to(Object[] arguments);
    }

    /** The JNDI context of the test. */
    public static final class Names implements InitialContextFactory {
        @Override
        public Context getInitialContext(Hashtable<?, ?> environment) {
            return (Context) Proxy.newProxyInstance(
                    Names.class.getClassLoader(),
                    new Class<?>[] {Context.class},
                    (proxy, method, arguments) ->
                            method.getName().equals("lookup") ? found(String.valueOf(arguments[0])) : null);
        }
    }
}
