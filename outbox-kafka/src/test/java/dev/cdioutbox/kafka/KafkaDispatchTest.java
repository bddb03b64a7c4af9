package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.dispatch.FakeTransactions;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine with a database and a real broker: at-least-once, and each key in order. */
@Tag("database")
class KafkaDispatchTest {
    private static final int MESSAGES = 100;
    private static final int KEYS = 7;
    private static final int POLLS = 4;
    private static final String LAST = "last";
    private static final Map<String, String> COMPACTED = Map.of("cleanup.policy", "compact");

    private final Broker broker = Broker.shared();
    private FakeTransactions transactions;
    private JdbcOutboxStore store;
    private DestinationWorker worker;
    private final List<KafkaPublisher> publishers = new ArrayList<>();

    private final String topic = "orders-" + UUID.randomUUID();
    private final String markers = "markers-of-" + topic;

    KafkaDispatchTest() throws Exception {
        broker.create(topic, Map.of("max.message.bytes", "2000"));
        startNode("at-least-once");
    }

    private void startNode(String delivery) {
        startNode(delivery, topic);
    }

    /** @param address a topic; empty for the one with the name of the destination */
    private void startNode(String delivery, String address, String... more) {
        List<String> settings = new ArrayList<>(List.of(
                "outbox.dispatcher.delivery",
                delivery,
                "outbox.destinations.default.topic",
                address,
                "outbox.kafka.marker.topic",
                markers,
                // FakeTransactions counts what is settled there.
                "outbox.table-prefix",
                "shop_",
                "outbox.dispatcher.batch-size",
                "20",
                "outbox.dispatcher.interval",
                "PT1H",
                "outbox.partitions",
                "4"));
        settings.addAll(List.of(more));
        OutboxConfig config = TestOutbox.config(broker, settings.toArray(String[]::new));
        KafkaPublisher publisher = TestOutbox.publisher(config);
        publishers.add(publisher);
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + topic + ";DB_CLOSE_DELAY=-1");
        transactions = new FakeTransactions(database, new FakeBroker());
        store = JdbcOutboxStore.open(
                transactions.dataSource(), config.store(), config.destinations().keySet());
        Dispatcher dispatcher = new Dispatcher(
                store,
                Map.of("kafka", publisher),
                new ThisNode("node-1", "shop", "host", "server", 1, "1.0"),
                () -> config,
                new Environment(transactions, () -> false));
        worker = dispatcher.workers().get("default");
    }

    @AfterEach
    void stop() {
        publishers.forEach(KafkaPublisher::stop);
    }

    /** As after the death of a node between the two commits. */
    @Test
    void failedSettlementSendsTheBatchAgainAndKeepsTheOrder() throws Exception {
        captureMany();
        transactions.settlesAtMost = 0;
        assertThat(worker.poll()).isNotNull();
        transactions.settlesAtMost = Integer.MAX_VALUE;
        run();

        List<ConsumerRecord<String, String>> received = received();
        assertThat(received).as("with copies of the batch").hasSizeGreaterThan(MESSAGES + 1);
        assertEachKeyInOrder(received);
        assertThat(states()).containsOnly(OutboxStatus.PUBLISHED);
    }

    @Test
    void failedSettlementSendsNothingAgainWithExactlyOnce() throws Exception {
        broker.create(markers, COMPACTED);
        startNode("exactly-once");
        captureMany();
        transactions.settlesAtMost = 0;
        assertThat(worker.poll()).isNotNull();
        capture("key", "of another batch");
        startNode("exactly-once");
        capture("key", LAST + "!");
        run();

        List<ConsumerRecord<String, String>> received = receivedUntil(LAST + "!");
        assertThat(received).hasSize(MESSAGES + 3);
        assertEachKeyInOrder(received);
        assertThat(states()).containsOnly(OutboxStatus.PUBLISHED);
    }

    /** The next node cannot know whether the last batch was committed. */
    @Test
    void deletedMarkersStopTheDestination() throws Exception {
        startNode("exactly-once");
        capture("key", "first");
        assertThat(worker.poll()).rootCause().hasMessageStartingWith("OBX-0536");
        broker.create(markers, COMPACTED);
        run();

        broker.delete(markers);
        broker.create(markers, COMPACTED);
        capture("key", LAST);
        startNode("exactly-once");
        assertThat(worker.poll()).hasMessageStartingWith("OBX-0443");
        assertThat(states()).containsExactlyInAnyOrder(OutboxStatus.PUBLISHED, OutboxStatus.PENDING);
    }

    /** Every application has this destination, and many send nothing there. */
    @Test
    void topicOfTheDestinationDefaultMayBeMissingUntilAMessageNeedsIt() throws Exception {
        broker.create(markers, COMPACTED);
        startNode("exactly-once", "");
        run();

        capture("key", LAST);
        assertThat(worker.poll()).isNotNull();
        assertThat(worker.poll())
                .hasStackTraceContaining("OBX-0531")
                .hasStackTraceContaining("it has no topic default");
        broker.create("default", Map.of());
        run();
        assertThat(messages())
                .extracting(message -> message.delivery().attempts())
                .containsExactly(1);
        assertThat(states()).containsExactly(OutboxStatus.PUBLISHED);
        broker.delete("default");
    }

    @Test
    void messageAboveTheLimitOfTheTopicIsAbandonedAlone() throws Exception {
        capture("key 0", "x".repeat(2000));
        captureMany();
        run();

        assertEachKeyInOrder(received());
        assertThat(states()).containsOnlyOnce(OutboxStatus.ABANDONED);
        assertThat(messages())
                .anySatisfy(message -> assertThat(message.delivery().lastError())
                        .startsWith("OBX-0534")
                        .contains("the topic " + topic + " takes 2000"));
    }

    @Test
    void placeOfTheRecordIsStored() throws Exception {
        capture("key", LAST);
        run();

        ConsumerRecord<String, String> event = received().get(0);
        assertThat(messages())
                .extracting(message -> message.delivery().brokerMessageId())
                .containsExactly(topic + "-" + event.partition() + "@" + event.offset());
    }

    @Test
    void outageChargesNoMessageAndFillsNoLog() throws Exception {
        capture("key", "before");
        run();
        broker.stop();
        capture("key", LAST);
        try (LogLines lines = new LogLines("org.apache.kafka")) {
            for (int poll = 0; poll < POLLS; poll++) {
                assertThat(FailureReason.of(worker.poll())).startsWith("OBX-0531");
            }
            // Two clients, and each poll waits for five seconds, in which they try to connect again after a growing
            // pause.
            assertThat(lines.all()).hasSizeLessThan(POLLS * 50);
            assertThat(lines.all())
                    .filteredOn(line -> line.startsWith("AdminClientConfig"))
                    .hasSizeLessThan(2);
        }
        broker.start();
        run();

        assertThat(received()).extracting(ConsumerRecord::value).containsExactly("before", LAST);
        assertThat(messages())
                .extracting(message -> message.delivery().attempts())
                .containsOnly(1);
    }

    /** The library unpacks itself into this folder, when the first batch is compressed. */
    @Test
    void codecThatTheNodeCannotLoadChargesNoMessage() throws Exception {
        System.setProperty("org.xerial.snappy.tempdir", "/proc/none");
        startNode("at-least-once", topic, "outbox.kafka.compression.type", "snappy", "outbox.retry.max-attempts", "1");
        capture("key", "first");
        capture("other key", "second");

        assertThat(worker.poll()).as("the first batch").isNotNull();
        assertThat(worker.poll()).as("whose library has failed before").isNotNull();

        assertThat(states()).containsOnly(OutboxStatus.PENDING);
        assertThat(messages())
                .extracting(message -> message.delivery().attempts())
                .containsOnly(0);
    }

    private void captureMany() throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            capture("key " + i % KEYS, "text " + i);
        }
        capture("key", LAST);
    }

    private void capture(String key, String text) throws Exception {
        Body body = new Body("text/plain", OutboxPayload.text(text));
        NewMessage message = new NewMessage(
                UUID.randomUUID(),
                new Event("OrderPlaced", 1, "Order", key),
                body,
                Context.NONE,
                NewMessage.Terms.NONE,
                "default",
                Instant.now());
        transactions.inNew(() -> {
            store.capture().write(List.of(message));
            return null;
        });
    }

    private void run() {
        assertThat(worker.poll()).isNull();
    }

    private List<ConsumerRecord<String, String>> received() {
        return receivedUntil(LAST);
    }

    private List<ConsumerRecord<String, String>> receivedUntil(String last) {
        return broker.receive(topic, new HashMap<>(), event -> event.value().equals(last));
    }

    private static void assertEachKeyInOrder(List<ConsumerRecord<String, String>> received) {
        for (int i = 0; i < KEYS; i++) {
            String key = "key " + i;
            List<String> first = new ArrayList<>(new LinkedHashSet<>(received.stream()
                    .filter(event -> event.key().equals(key))
                    .map(ConsumerRecord::value)
                    .toList()));
            int begin = i;
            assertThat(first)
                    .containsExactlyElementsOf(IntStream.range(0, MESSAGES)
                            .filter(number -> number % KEYS == begin)
                            .mapToObj(number -> "text " + number)
                            .toList());
        }
    }

    private List<OutboxStatus> states() {
        return messages().stream().map(message -> message.delivery().status()).toList();
    }

    private List<OutboxMessage> messages() {
        return store.finder().find(OutboxFilter.all(), OutboxPageRequest.of(1000));
    }
}
