package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.observe.trace.TelemetryTraces;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.transport.TopicLimits;
import dev.cdioutbox.kafka.MarkerTopic.Committed;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.OutboxPublisher.Marker;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import dev.cdioutbox.testing.PublisherContract;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every publisher promises, and what this one adds, with a real broker. */
@Tag("database")
class KafkaPublisherTest extends PublisherContract {
    private static final String TOPIC = "contract";
    private static final int LIMIT = 60_000;

    private static Broker broker;
    private static KafkaPublisher publisher;
    private static final Map<TopicPartition, Long> POSITIONS = new HashMap<>();

    @BeforeAll
    static void start() throws Exception {
        broker = Broker.shared();
        broker.create(TOPIC, Map.of("max.message.bytes", String.valueOf(LIMIT)));
        broker.create("compacted", Map.of("cleanup.policy", "compact"));
        publisher = TestOutbox.publisher(TestOutbox.config(
                broker,
                "outbox.destinations.contract.dispatcher.enabled",
                "true",
                "outbox.destinations.default.topic",
                "compacted",
                "outbox.destinations.raised.topic",
                "raised",
                "outbox.destinations.absent.topic",
                "absent",
                "outbox.destinations.away.kafka.bootstrap.servers",
                "127.0.0.1:1",
                "outbox.destinations.once.topic",
                TOPIC,
                "outbox.destinations.without.kafka.marker.topic",
                "absent",
                "outbox.destinations.wrong.kafka.marker.topic",
                TOPIC));
        broker.create("outbox-markers", Map.of("cleanup.policy", "compact"));
    }

    @AfterAll
    static void stop() {
        publisher.stop();
    }

    @Override
    protected OutboxPublisher publisher() {
        return publisher;
    }

    @Override
    protected DestinationId destination() {
        return id(TOPIC);
    }

    @Override
    protected DestinationId absentDestination() {
        return id("absent");
    }

    @Override
    protected boolean takesBack() {
        return true;
    }

    @Override
    protected OutboxMessage refused(OutboxMessage message) {
        return withText(message, "x".repeat(LIMIT));
    }

    @Override
    protected List<Received> receiveUntil(UUID last) {
        return broker.receive(TOPIC, POSITIONS, event -> id(event).equals(last)).stream()
                .map(event -> Received.of(id(event), OutboxPayload.text(event.value()), event.key(), headers(event)))
                .toList();
    }

    @Test
    void clientHasTheVersionOfTheRun() throws Exception {
        Properties client = new Properties();
        try (InputStream file = KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            client.load(file);
        }
        String version = client.getProperty("version");
        assertThat(version).isEqualTo(System.getProperty("kafka.version", version));
    }

    /** Only the broker knows that it refuses a record without a key here. */
    @Test
    void messageThatTheBrokerRefusesIsToBlameAndTheBatchIsTakenBack() throws Exception {
        OutboxMessage bad = message(null, "without a key");
        try (Sender sender = publisher.open(id("default"))) {
            sender.send(message("key", "first"));
            sender.send(bad);
            sender.send(message("key", "last"));
            assertThat(sender.complete()).hasSize(1).hasEntrySatisfying(bad, failure -> assertThat(failure.blame())
                    .isEqualTo(Blame.MESSAGE));
        }
        OutboxMessage again = message("key", "again");
        try (Sender sender = publisher.open(id("default"))) {
            sender.send(again);
            assertThat(sender.complete()).isEmpty();
        }
        assertThat(broker.receive(
                        "compacted", new HashMap<>(), event -> id(event).equals(again.id())))
                .extracting(ConsumerRecord::value)
                .containsExactly("again");
    }

    /** After a long time without a batch, for example. */
    @Test
    void producerThatTheBrokerHasForgottenIsToBlameAndReplaced() throws Exception {
        MockProducer<byte[], byte[]> forgotten =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        forgotten.initTransactions();
        forgotten.commitTransactionException =
                new KafkaException("in an error state", new InvalidPidMappingException("expired"));
        OutboxConfig config = TestOutbox.config(broker, "outbox.destinations.default.topic", TOPIC);
        Admins admins = new Admins();
        KafkaTopic topic = new KafkaTopic(config.destinations().get("default"), admins);
        AtomicBoolean isKept = new AtomicBoolean();

        try (Sender sender = new KafkaBatch(
                id("default"),
                topic,
                config.jms(),
                new TelemetryTraces(),
                forgotten,
                hasFailed -> isKept.set(true),
                null)) {
            sender.send(message("key", "text"));
            assertThatThrownBy(sender::complete)
                    .isInstanceOfSatisfying(
                            PublishException.class, e -> assertThat(e.blame()).isEqualTo(Blame.DESTINATION));
        } finally {
            admins.close();
        }

        assertThat(isKept).isFalse();
        assertThat(forgotten.closed()).isTrue();
    }

    @Test
    void kafkaThatIsAwayIsToBlameForItself() {
        assertThatThrownBy(() -> publisher.open(id("away")))
                .hasMessageStartingWith("OBX-0531")
                .extracting(failure -> ((PublishException) failure).blame())
                .isEqualTo(Blame.DESTINATION);
    }

    @Tag("full")
    @Test
    void kafkaThatIsAwayAnswersNoProbe() {
        assertThatThrownBy(() -> publisher.probe(id("away"))).isInstanceOf(PublishException.class);
    }

    @Test
    void raisedLimitOfATopicCountsAtOnce() throws Exception {
        broker.create("raised", Map.of("max.message.bytes", "1000"));
        OutboxMessage large = message("key", "x".repeat(2000));
        try (Sender sender = publisher.open(id("raised"))) {
            assertThatThrownBy(() -> sender.send(large)).hasMessageStartingWith("OBX-0534");
        }
        broker.set("raised", "max.message.bytes", "5000");
        try (Sender sender = publisher.open(id("raised"))) {
            sender.send(large);
            assertThat(sender.complete()).isEmpty();
        }
    }

    /** For change data capture, whose connector Kafka would stop. */
    @Test
    void limitsOfATopicAreKnown() throws Exception {
        assertThat(publisher.limits(id("contract"))).contains(new TopicLimits(LIMIT, false));
        assertThat(publisher.limits(id("default")).orElseThrow().compacted()).isTrue();
        assertThat(publisher.limits(id("absent"))).isEmpty();
    }

    /** The container may stop the bean before a thread of the dispatcher has closed its sender. */
    @Test
    void nothingIsLeftAfterTheStop() throws Exception {
        KafkaPublisher stopped = TestOutbox.publisher(TestOutbox.config(
                broker, "outbox.destinations.default.topic", TOPIC, "outbox.kafka.client.id", "stopped"));
        try (Sender open = stopped.open(id("default"))) {
            stopped.open(id("default")).close();
            open.send(message("key", "not completed"));
            stopped.stop();
        }
        assertThatThrownBy(() -> stopped.open(id("default"))).isInstanceOf(PublishException.class);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.contains("stopped"));
    }

    @Test
    void markerIsFoundBehindManyOthers() throws Exception {
        String memory = UUID.randomUUID().toString();
        publisher.takeOver(id("once"), memory);
        complete(memory, 0);
        String other = UUID.randomUUID().toString();
        publisher.takeOver(id("once"), other);
        for (int i = 0; i < 600; i++) {
            // With the record of the commit, two offsets each.
            complete(other, i);
        }
        assertThat(publisher.takeOver(id("once"), memory)).isEqualTo(new Committed(0, Map.of()));
        assertThat(publisher.takeOver(id("once"), other)).isEqualTo(new Committed(599, Map.of()));
    }

    /** Another node may send the same destination under another name. */
    @Test
    void takeOverShutsOutTheProducersOfTheMemoryWhateverTheirDestination() throws Exception {
        String memory = UUID.randomUUID().toString();
        publisher.takeOver(id("once"), memory);
        try (Sender sender = publisher.open(id("once"), memory, 0)) {
            publisher.takeOver(id("default"), memory);
            assertThatThrownBy(sender::complete).isInstanceOf(PublishException.class);
        }
        assertThat(publisher.takeOver(id("once"), memory)).isNull();
    }

    /** While the database fails, each attempt at a first take-over has a new memory. */
    @Test
    void destinationKeepsNoProducerOfAnEarlierMemory() throws Exception {
        String first = UUID.randomUUID().toString();
        publisher.takeOver(id("once"), first);
        assertThat(threadsOf(first)).isNotEmpty();

        publisher.takeOver(id("once"), UUID.randomUUID().toString());

        while (!threadsOf(first).isEmpty()) {
            for (Thread thread : threadsOf(first)) {
                thread.join();
            }
        }
    }

    private static List<Thread> threadsOf(String memory) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains(memory))
                .toList();
    }

    /** It stands behind the records that a consumer of committed records gets. */
    @Test
    void markerIsFoundBehindAnOpenTransaction() throws Exception {
        String memory = UUID.randomUUID().toString();
        publisher.takeOver(id("once"), memory);
        Map<String, Object> settings = Map.of("bootstrap.servers", broker.address(), "transactional.id", "a stranger");
        try (var stranger = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            stranger.initTransactions();
            stranger.beginTransaction();
            stranger.send(new ProducerRecord<>("outbox-markers", 0, "strange", ""))
                    .get();
            complete(memory, 0);
            var waiting = CompletableFuture.supplyAsync(() -> takeOver(memory));
            assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            stranger.abortTransaction();
            assertThat(waiting.join()).isEqualTo(new Committed(0, Map.of()));
        }
    }

    /** Of an application that does not know whose topic this is. */
    @Test
    void openTransactionThatHidesTheMarkersIsNamed() throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", broker.address(), "transactional.id", "a squatter");
        Admins admins = new Admins();
        try (var stranger = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            stranger.initTransactions();
            stranger.beginTransaction();
            stranger.send(new ProducerRecord<>("outbox-markers", 0, "strange", ""))
                    .get();
            MarkerTopic markers = new MarkerTopic(
                    new KafkaTopic(TestOutbox.config(broker).destinations().get("default"), admins),
                    Duration.ofMillis(100));
            assertThatThrownBy(() -> markers.last("memory"))
                    .hasMessageStartingWith("OBX-0537")
                    .hasMessageContaining("in partition 0 of the topic 'outbox-markers'")
                    .hasMessageContaining("transactional.id a squatter")
                    .extracting(failure -> ((PublishException) failure).blame())
                    .isEqualTo(Blame.DESTINATION);
            stranger.abortTransaction();
        } finally {
            admins.close();
        }
    }

    @Test
    void topicOfMarkersMustExistAndBeCompacted() {
        assertThatThrownBy(() -> publisher.takeOver(id("without"), "memory"))
                .hasMessageStartingWith("OBX-0536: exactly-once needs the topic 'absent' for its markers")
                .hasMessageContaining("the topic does not exist")
                .extracting(failure -> ((PublishException) failure).blame())
                .isEqualTo(Blame.DESTINATION);
        assertThatThrownBy(() -> publisher.takeOver(id("wrong"), "memory")).hasMessageContaining("it has delete.");
    }

    private static Marker takeOver(String memory) {
        try {
            return publisher.takeOver(id("once"), memory);
        } catch (PublishException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void complete(String memory, long number) throws Exception {
        try (Sender sender = publisher.open(id("once"), memory, number)) {
            assertThat(sender.complete()).isEmpty();
        }
    }

    /** That of a timer, or of the thread that stops the application, does not see Kafka's classes. */
    @Test
    void classLoaderOfTheThreadDoesNotMatter() throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            KafkaPublisher other = TestOutbox.publisher(TestOutbox.config(broker));
            other.open(id("default")).close();
            assertThat(other.describe(id("default"))).startsWith("Kafka ");
            other.stop();
            assertThat(thread.getContextClassLoader()).isEqualTo(ClassLoader.getPlatformClassLoader());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static OutboxMessage message(String key, String text) {
        return RecordMappingTest.message(new Event("OrderPlaced", 1, null, key), Context.NONE, text);
    }

    private static DestinationId id(String destination) {
        return DestinationId.ofDefaultOutbox(destination);
    }

    private static UUID id(ConsumerRecord<String, String> event) {
        return UUID.fromString(headers(event).get("messageId"));
    }

    private static Map<String, String> headers(ConsumerRecord<String, String> event) {
        Map<String, String> headers = new TreeMap<>();
        for (Header header : event.headers()) {
            headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
        }
        return headers;
    }
}
