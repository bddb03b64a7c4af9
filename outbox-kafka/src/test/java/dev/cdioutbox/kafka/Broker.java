package dev.cdioutbox.kafka;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.Time;

/** A Kafka cluster of one node in this JVM, which can be stopped and started again. */
public final class Broker implements AutoCloseable {
    static final int PARTITIONS = 3;

    /** Of a broker, thousands of lines; kept here, since nobody else does. */
    private static final List<Logger> QUIET = Stream.of("kafka", "org.apache.kafka", "state")
            .map(Logger::getLogger)
            .toList();

    private static Broker shared;

    private final Properties settings = new Properties();
    private final int port;
    private KafkaRaftServer server;

    /** @param folder an empty one */
    public Broker(Path folder) throws IOException {
        QUIET.forEach(logger -> logger.setLevel(Level.OFF));
        int[] ports = freePorts();
        port = ports[0];
        String quorum = "127.0.0.1:" + ports[1];
        settings.putAll(Map.of(
                "process.roles",
                "broker,controller",
                "node.id",
                "1",
                "controller.quorum.voters",
                "1@" + quorum,
                "controller.listener.names",
                "CONTROLLER",
                "listeners",
                "PLAINTEXT://" + address() + ",CONTROLLER://" + quorum,
                "advertised.listeners",
                "PLAINTEXT://" + address(),
                "listener.security.protocol.map",
                "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
                "log.dirs",
                folder.resolve("data").toString()));
        settings.putAll(Map.of(
                "offsets.topic.replication.factor", "1",
                "offsets.topic.num.partitions", "1",
                "group.initial.rebalance.delay.ms", "0",
                "transaction.state.log.replication.factor", "1",
                "transaction.state.log.min.isr", "1",
                "transaction.state.log.num.partitions", "1",
                "transaction.abort.timed.out.transaction.cleanup.interval.ms", "500",
                "auto.create.topics.enable", "false",
                "log.cleaner.enable", "false"));
        Path file = folder.resolve("server.properties");
        try (var out = Files.newBufferedWriter(file)) {
            settings.store(out, null);
        }
        var output = new ByteArrayOutputStream();
        String[] format = {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()};
        if (StorageTool.execute(format, new PrintStream(output, true, StandardCharsets.UTF_8)) != 0) {
            throw new IllegalStateException(output.toString(StandardCharsets.UTF_8));
        }
        start();
    }

    /** The one of all test classes in this JVM: to start and stop another one takes seconds. */
    static synchronized Broker shared() throws IOException {
        if (shared == null) {
            shared = new Broker(Files.createTempDirectory(Path.of("target"), "kafka"));
        }
        return shared;
    }

    private static int[] freePorts() throws IOException {
        try (ServerSocket one = new ServerSocket(0);
                ServerSocket other = new ServerSocket(0)) {
            return new int[] {one.getLocalPort(), other.getLocalPort()};
        }
    }

    public void start() {
        server = new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM);
        server.startup();
    }

    public void stop() {
        server.shutdown();
        server.awaitShutdown();
    }

    @Override
    public void close() {
        stop();
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    /** Creates a topic, and waits until the broker knows it from its controller. */
    public void create(String topic, Map<String, String> settings) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1).configs(settings)))
                    .all()
                    .get();
            while (!admin.listTopics().names().get().contains(topic)) {
                Thread.onSpinWait();
            }
        }
    }

    public void delete(String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
            admin.deleteTopics(List.of(topic)).all().get();
            while (admin.listTopics().names().get().contains(topic)) {
                Thread.onSpinWait();
            }
        }
    }

    /** Sets a configuration of a topic, and waits until the broker knows it from its controller. */
    public void set(String topic, String key, String value) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
            admin.incrementalAlterConfigs(Map.of(
                            resource,
                            List.of(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
            while (!admin.describeConfigs(List.of(resource))
                    .values()
                    .get(resource)
                    .get()
                    .get(key)
                    .value()
                    .equals(value)) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * What a consumer of committed records gets, until no transaction is open.
     *
     * @param positions from which the consumer reads, by partition; this call moves them
     * @param isLast a record without which the consumer goes on
     */
    public List<ConsumerRecord<String, String>> receive(
            String topic, Map<TopicPartition, Long> positions, Predicate<ConsumerRecord<String, String>> isLast) {
        try (var consumer = consumer("read_committed");
                var all = consumer("read_uncommitted")) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            partitions.forEach(partition -> consumer.seek(partition, positions.getOrDefault(partition, 0L)));
            List<ConsumerRecord<String, String>> received = new ArrayList<>();
            Map<TopicPartition, Long> end = Map.of();
            while (received.stream().noneMatch(isLast) || !positions.equals(end)) {
                consumer.poll(Duration.ofMillis(100)).forEach(received::add);
                partitions.forEach(partition -> positions.put(partition, consumer.position(partition)));
                end = all.endOffsets(partitions);
            }
            return received;
        }
    }

    /** The number of records of a topic, among them those of open and aborted transactions. */
    public long written(String topic) {
        try (var all = consumer("read_uncommitted")) {
            List<TopicPartition> partitions = all.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            return all.endOffsets(partitions).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
        }
    }

    private KafkaConsumer<String, String> consumer(String isolation) {
        return new KafkaConsumer<>(
                Map.of("bootstrap.servers", address(), "isolation.level", isolation),
                new StringDeserializer(),
                new StringDeserializer());
    }
}
