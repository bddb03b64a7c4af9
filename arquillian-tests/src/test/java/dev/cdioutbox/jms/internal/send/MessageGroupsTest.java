package dev.cdioutbox.jms.internal.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;

import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.broker.region.policy.PolicyMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What docs/howto/activemq.md tells of message groups: with its settings, a group stays with its consumer, and a busy group
 * holds up no other. Each setting is needed.
 */
class MessageGroupsTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int GROUPS = 40;
    /** Of the default map of ActiveMQ, which forgets the groups that it has not used for longest. */
    private static final int REMEMBERED = 1024;
    /** Above the default of maxPageSize. */
    private static final int BACKLOG = 300;

    private final BrokerService broker = new BrokerService();
    private final List<Connection> connections = new ArrayList<>();
    private final Map<String, List<String>> consumersByKey = new ConcurrentHashMap<>();

    @AfterEach
    void stop() throws Exception {
        for (Connection connection : connections) {
            connection.close();
        }
        broker.stop();
    }

    @Test
    void bucketsKeepEachGroupWithItsConsumer() throws Exception {
        PolicyEntry policy = new PolicyEntry();
        policy.setMessageGroupMapFactoryType("bucket?bucketCount=1024");

        assertThat(consumersOfEachGroup(policy))
                .allMatch(consumers -> consumers.get(0).equals(consumers.get(1)));
    }

    @Test
    void defaultMapForgetsGroupsAndGivesThemToAnotherConsumer() throws Exception {
        assertThat(consumersOfEachGroup(new PolicyEntry()))
                .anyMatch(consumers -> !consumers.get(0).equals(consumers.get(1)));
    }

    /** The price of buckets. */
    @Test
    void bucketsThatAreTakenStayWithTheFirstConsumer() throws Exception {
        PolicyEntry policy = new PolicyEntry();
        policy.setMessageGroupMapFactoryType("bucket?bucketCount=16");
        start(policy);
        listen("one");
        send("group", REMEMBERED);
        await().atMost(SOON).until(() -> received() == REMEMBERED);
        listen("two");
        send("other", REMEMBERED);
        await().atMost(SOON).until(() -> received() == 2 * REMEMBERED);

        assertThat(consumersByKey.values()).allMatch(consumers -> consumers.equals(List.of("one")));
    }

    @Test
    void largerPageLetsAnIdleConsumerWorkBesideABusyGroup() throws Exception {
        PolicyEntry policy = new PolicyEntry();
        policy.setMaxPageSize(1000);

        assertThat(receivedBesideABusyGroup(policy, SOON)).isNotNull();
    }

    @Test
    void defaultPageOfABusyGroupHidesOtherGroups() throws Exception {
        assertThat(receivedBesideABusyGroup(new PolicyEntry(), Duration.ofSeconds(1)))
                .isNull();
    }

    /**
     * Two messages of each group, with those of many other groups between them: an odd number, since consumers that take turns
     * would otherwise get the same groups again.
     */
    private List<List<String>> consumersOfEachGroup(PolicyEntry policy) throws Exception {
        start(policy);
        listen("one");
        listen("two");
        send("group", GROUPS);
        await().atMost(SOON).until(() -> received() == GROUPS);
        send("other", 2 * REMEMBERED + 1);
        await().atMost(SOON).until(() -> received() == GROUPS + 2 * REMEMBERED + 1);
        send("group", GROUPS);
        await().atMost(SOON).until(() -> received() == 2 * GROUPS + 2 * REMEMBERED + 1);
        return consumersByKey.entrySet().stream()
                .filter(each -> each.getKey().startsWith("group"))
                .map(Map.Entry::getValue)
                .toList();
    }

    private void listen(String name) throws JMSException {
        Session session = session(Session.AUTO_ACKNOWLEDGE);
        session.createConsumer(queue(session)).setMessageListener(message -> consumersByKey
                .computeIfAbsent(group(message), key -> new CopyOnWriteArrayList<>())
                .add(name));
    }

    /** The first consumer holds a message of the busy group, and the second one has nothing to do. */
    private Message receivedBesideABusyGroup(PolicyEntry policy, Duration wait) throws Exception {
        start(policy);
        send("busy", 1);
        Session busy = session(Session.CLIENT_ACKNOWLEDGE);
        assertThat(busy.createConsumer(queue(busy)).receive(SOON.toMillis())).isNotNull();
        Session idle = session(Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = idle.createConsumer(queue(idle));
        for (int i = 0; i < BACKLOG; i++) {
            send("busy", 1);
        }
        send("other", 1);
        return consumer.receive(wait.toMillis());
    }

    private void start(PolicyEntry policy) throws Exception {
        PolicyMap policies = new PolicyMap();
        policies.setDefaultEntry(policy);
        broker.setDestinationPolicy(policies);
        broker.setBrokerName("groups");
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.start();
    }

    /** A session of a separate connection, as the adapter of each server has. */
    private Session session(int acknowledgement) throws JMSException {
        Connection connection = new ActiveMQConnectionFactory(
                        "vm://groups?create=false&jms.prefetchPolicy.queuePrefetch=1")
                .createConnection();
        connections.add(connection);
        connection.start();
        return connection.createSession(false, acknowledgement);
    }

    private void send(String prefix, int groups) throws JMSException {
        try (Connection connection = new ActiveMQConnectionFactory("vm://groups?create=false").createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageProducer producer = session.createProducer(queue(session))) {
            for (int i = 0; i < groups; i++) {
                Message message = session.createTextMessage("");
                message.setStringProperty("JMSXGroupID", prefix + i);
                producer.send(message);
            }
        }
    }

    private long received() {
        return consumersByKey.values().stream().mapToLong(List::size).sum();
    }

    private static Queue queue(Session session) throws JMSException {
        return session.createQueue("outbox");
    }

    private static String group(Message message) {
        try {
            return message.getStringProperty("JMSXGroupID");
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }
}
