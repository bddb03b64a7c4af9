package dev.cdioutbox.tests.crash;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * One run: nodes on a database and a queue of their own, continuous business, and faults at named points. At the end
 * the account book compares.
 */
final class CrashRun implements AutoCloseable {
    private static final int PARTITIONS = 8;
    private static final int KEYS = 24;
    /** Those that the broker of the tests creates. */
    private static final int KAFKA_PARTITIONS = 3;

    private static final int BATCH = 20;
    /** The default of {@code outbox.dispatcher.concurrency}: each thread of a node has a batch. */
    private static final int THREADS = 2;

    private static final Duration REACH = Duration.ofSeconds(90);
    /** How long a node waits for its turn to hold a destination as a whole. */
    private static final Duration TURN = Duration.ofSeconds(20);
    /** The longest time without an arrival at the end of a run; it exceeds the 30 s of a wait for a row lock. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** The number of kills after which a campaign causes one other fault. */
    private static final int KILLS_FOR_EACH_FAULT = 8;

    private static final Duration SLOW_SEND = Duration.ofMillis(200);
    private static final String PREPARED = "SELECT gid FROM pg_prepared_xacts WHERE database = '%s'";
    private static final String DEAD_LETTERS = "ActiveMQ.DLQ";
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Services services;
    private final Mode mode;
    private final Random random;
    private final String name;
    private final AccountBook book = new AccountBook();
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final Map<Point, Integer> kills = new EnumMap<>(Point.class);
    private final List<Death> deaths = new ArrayList<>();
    private Arrivals arrivals;
    private int faults;

    /** @param wrong null for the right engine */
    CrashRun(Services services, Mode mode, int nodes, long seed, WrongEngine wrong, Map<String, String> configuration) {
        this.services = services;
        this.mode = mode;
        this.random = new Random(seed);
        this.name = "crash" + COUNT.incrementAndGet();
        services.execute("postgres", "CREATE DATABASE " + name);
        services.execute(
                name,
                "CREATE TABLE business_aggregate (id TEXT PRIMARY KEY, number BIGINT NOT NULL)",
                "CREATE TABLE business_event (payload TEXT PRIMARY KEY, transaction_id TEXT NOT NULL)",
                "CREATE TABLE business_operation (operation TEXT NOT NULL, payload TEXT NOT NULL)",
                HandlerEdge.TABLE,
                "INSERT INTO business_aggregate SELECT 'key-' || n, 0 FROM generate_series(1, " + KEYS + ") n");
        Map<String, String> properties = properties(seed, wrong);
        properties.putAll(configuration);
        for (int number = 1; number <= nodes; number++) {
            properties.put("harness.seed", String.valueOf(seed + 1000L * number));
            this.nodes.add(
                    new NodeProcess("node" + number, home("node" + number), services.classPath(), book, properties));
        }
    }

    private Path home(String node) {
        try {
            return Files.createDirectories(services.home().resolve(name).resolve(node));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, String> properties(long seed, WrongEngine wrong) {
        Map<String, String> properties = new TreeMap<>(mode.configuration());
        properties.put("harness.mode", mode.name());
        properties.put("harness.database", services.url(name));
        properties.put("harness.broker", services.broker().url() + "?jms.alwaysSyncSend=true");
        properties.put("harness.queue", name);
        if (mode == Mode.MARKER) {
            services.createTopic(name);
            properties.put("outbox.kafka.bootstrap.servers", services.kafka().address());
            properties.put("outbox.destinations.default.topic", name);
        }
        properties.put("harness.writers", "2");
        properties.put("harness.transaction-timeout", "30");
        properties.put("harness.purge-millis", "1000");
        if (wrong != null) {
            properties.put("harness.wrong", wrong.name());
        }
        properties.put("outbox.datasource", "jdbc/outbox");
        properties.put("outbox.destinations.default.connection-factory", "jms/factory");
        properties.put("outbox.partitions", String.valueOf(PARTITIONS));
        properties.put("outbox.dispatcher.max-partitions", "2");
        properties.put("outbox.dispatcher.batch-size", String.valueOf(BATCH));
        properties.put("outbox.dispatcher.interval", "PT1S");
        properties.put("outbox.retry.base-delay", "PT0.2S");
        properties.put("outbox.retry.max-delay", "PT1S");
        // The engine abandons a message that was alone in flight at two kills. Its followers must wait for the
        // operator's retry.
        properties.put("outbox.retry.on-abandon", "block");
        properties.put("outbox.retry.max-attempts", "1000");
        properties.put("outbox.retention.published", "PT2S");
        return properties;
    }

    /** Kills the first node several times while it creates the tables, and then starts all nodes. */
    void start(int killsInSchemaCreation) {
        arrivals = arrivals().start();
        if (!Files.exists(services.classPath().archive())) {
            shareClasses();
        }
        for (int i = 0; i < killsInSchemaCreation; i++) {
            NodeProcess first = nodes.get(0);
            first.startArmed(Point.SCHEMA_CREATION, 1 + random.nextInt(3));
            if (!first.reaches(Point.SCHEMA_CREATION, REACH)) {
                // The tables exist: the node died too late in an earlier attempt.
                first.kill();
                break;
            }
            kill(first, Point.SCHEMA_CREATION);
        }
        nodes.forEach(NodeProcess::start);
        awaitAllReady();
    }

    private Arrivals arrivals() {
        return switch (mode) {
            case MARKER -> new KafkaArrivals(services.kafka().address(), name, KAFKA_PARTITIONS, book);
            case HANDLER, INBOX -> new HandlerArrivals(services, name, book);
            case EXACTLY_ONCE, AT_LEAST_ONCE, LEASE -> new JmsArrivals(services.broker(), name, book);
        };
    }

    /** Runs a node and stops it in order. At its end the node writes the archive of classes for all others. */
    private void shareClasses() {
        NodeProcess first = nodes.get(0);
        first.start();
        first.awaitReady();
        await().atMost(REACH).until(() -> book.size() > 0);
        first.stop();
    }

    List<NodeProcess> nodes() {
        return nodes;
    }

    AccountBook book() {
        return book;
    }

    String name() {
        return name;
    }

    /** A ready node at random; if no node is ready, the first one as soon as it is. */
    NodeProcess anyNode() {
        List<NodeProcess> ready = nodes.stream().filter(NodeProcess::isReady).toList();
        if (ready.isEmpty()) {
            nodes.get(0).awaitReady();
            return nodes.get(0);
        }
        return ready.get(random.nextInt(ready.size()));
    }

    /** Waits for all nodes. A node cannot start while the database is down, like a deployment. */
    void awaitAllReady() {
        nodes.forEach(NodeProcess::awaitReady);
    }

    /**
     * Kills nodes at all points of the mode in turn, and causes other faults between the kills.
     *
     * @param otherFault causes a fault, and supplies its name
     * @return how often each other fault was caused
     */
    Map<String, Integer> killAtAllPoints(int number, Supplier<String> otherFault) {
        Map<String, Integer> otherFaults = new TreeMap<>();
        Deque<Point> points = new ArrayDeque<>();
        for (int kill = 1; kill <= number; kill++) {
            if (points.isEmpty()) {
                List<Point> all = new ArrayList<>(Point.of(mode));
                Collections.shuffle(all, random);
                points.addAll(all);
            }
            killAt(points.remove());
            if (kill % KILLS_FOR_EACH_FAULT == 0) {
                otherFaults.merge(otherFault.get(), 1, Integer::sum);
            }
        }
        return otherFaults;
    }

    /** Kills a node at a point and restarts it. */
    void killAt(Point point) {
        NodeProcess node = anyNode();
        stopAt(node, point);
        kill(node, point);
        node.start();
    }

    /** Runs a node to a point and stops it there. */
    void stopAt(NodeProcess node, Point point) {
        node.awaitReady();
        if (point == Point.LEASE_RENEWAL) {
            node.slowDown(SLOW_SEND);
        }
        node.arm(point, 1 + (isFrequent(point) ? random.nextInt(4) : 0));
        if (mode == Mode.MARKER && !node.reaches(point, TURN)) {
            killAllBut(node);
        }
        if (!node.reaches(point, REACH)) {
            throw new AssertionError("The node " + node.name() + " of " + name + " did not reach the armed point "
                    + point + ". The harness does not know its statement any more, or nothing is dispatched.");
        }
    }

    /** One node sends as long as messages come, and the others wait. These kills hit any point, and are not counted. */
    private void killAllBut(NodeProcess node) {
        for (NodeProcess other : nodes) {
            if (other != node) {
                Set<Integer> held = held();
                other.kill();
                deaths.add(new Death(System.nanoTime(), held));
                faults++;
                other.start();
            }
        }
    }

    private static boolean isFrequent(Point point) {
        return switch (point) {
            case TAKEN_OVER,
                    PROMOTION,
                    PURGE,
                    PURGE_FOUND,
                    REPLAY,
                    DISCARD,
                    DURING_RETRY,
                    LEASE_RENEWAL,
                    SCHEMA_CREATION -> false;
            default -> true;
        };
    }

    void kill(NodeProcess node, Point point) {
        Set<Integer> held = point == Point.SCHEMA_CREATION ? Set.of() : held();
        node.kill();
        deaths.add(new Death(System.nanoTime(), held));
        kills.merge(point, 1, Integer::sum);
        faults++;
    }

    /** Suspends a node at a point for a time. */
    void suspendAt(Point point, Duration time) {
        NodeProcess node = anyNode();
        stopAt(node, point);
        node.suspend();
        NodeProcess.pause(time.toMillis());
        node.resume();
        node.go();
        faults++;
    }

    /** Closes a node's database connections at a point. */
    void cutConnectionsAt(Point point) {
        NodeProcess node = anyNode();
        stopAt(node, point);
        cutConnections(node);
        node.go();
        faults++;
    }

    private void cutConnections(NodeProcess node) {
        services.query(
                "postgres",
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s' AND application_name = '%s'"
                        .formatted(name, node.name()));
    }

    /**
     * Takes a node's claims away at a point, and lets it go on when another node has had the time to take over: as a
     * process that was suspended until the database ended its sessions.
     */
    void reviveAt(Point point, Duration time) {
        reviveAt(point, () -> NodeProcess.pause(time.toMillis()));
    }

    /** The same, but the node goes on when others have delivered all that was waiting at the point. */
    void reviveAfterTakeOver(Point point) {
        reviveAt(point, () -> {
            Set<String> waiting = new HashSet<>(services.query(name, Points.WAITING_PAYLOADS));
            await().atMost(REACH).until(() -> {
                waiting.retainAll(services.query(name, Points.WAITING_PAYLOADS));
                return waiting.isEmpty();
            });
        });
    }

    private void reviveAt(Point point, Runnable meanwhile) {
        NodeProcess node = anyNode();
        stopAt(node, point);
        node.suspend();
        cutConnections(node);
        meanwhile.run();
        node.resume();
        node.go();
        faults++;
    }

    /** Counts a fault that may cause one more copy of a batch. */
    void countFault() {
        faults++;
    }

    /** Counts a fault that may cause one more copy of a batch of each node. */
    void countFaultOfAllNodes() {
        faults += nodes.size();
    }

    /** The partitions that are locked now and also 25 ms later. */
    private Set<Integer> held() {
        Set<Integer> held = notFree();
        if (!held.isEmpty()) {
            NodeProcess.pause(25);
            held.retainAll(notFree());
        }
        return held;
    }

    private Set<Integer> notFree() {
        Set<Integer> all = new HashSet<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            all.add(partition);
        }
        services.query(name, Points.FREE_PARTITIONS.formatted(mode.destination()))
                .forEach(free -> all.remove(Integer.valueOf(free)));
        return all;
    }

    /** Ends the faults, waits until all messages are delivered, and compares. */
    Counts finish() {
        return finish(PATIENCE);
    }

    Counts finish(Duration patience) {
        nodes.stream().filter(node -> !node.isAlive()).forEach(NodeProcess::start);
        awaitAllReady();
        nodes.forEach(NodeProcess::go);
        nodes.forEach(NodeProcess::quiet);
        List<String> stuck = drain(patience);
        Map<String, String> rows = new HashMap<>();
        services.query(name, "SELECT payload || '#' || transaction_id FROM business_event")
                .forEach(row -> rows.put(row.substring(0, row.indexOf('#')), row.substring(row.indexOf('#') + 1)));
        Map<String, Integer> replays = new HashMap<>();
        operations("REPLAY").forEach(payload -> replays.merge(payload, 1, Integer::sum));
        Counts counts = book.compare(
                rows,
                replays,
                new HashSet<>(operations("DISCARD")),
                new HashSet<>(operations("RETRY")),
                mode.isOneTransaction() ? 0 : 1,
                mode.isExactlyOnce() ? 0 : faults);
        List<String> all = new ArrayList<>();
        if (!stuck.isEmpty()) {
            all.add("not drained: " + stuck);
        } else if (counts.twice() > faults * THREADS * BATCH) {
            all.add("more copies than the batches in flight: " + counts.twice());
        }
        if (!services.broker().isEmpty(DEAD_LETTERS)) {
            all.add("a dead letter");
        }
        services.query(name, Points.MISPLACED).forEach(row -> all.add("misplaced: " + row));
        all.addAll(counts.faults());
        return counts.with(all);
    }

    /** The payloads of the messages that operators have changed so. */
    private List<String> operations(String operation) {
        return services.query(name, "SELECT payload FROM business_operation WHERE operation = '" + operation + "'");
    }

    /**
     * @return the messages that are still pending after so long a time without an arrival; empty if all are delivered
     */
    private List<String> drain(Duration patience) {
        int before = -1;
        long lastChange = System.nanoTime();
        while (!isDrained()) {
            if (book.size() != before) {
                before = book.size();
                lastChange = System.nanoTime();
            } else if (System.nanoTime() - lastChange > patience.toNanos()) {
                return waiting();
            }
            NodeProcess.pause(200);
        }
        // A duplicate would be the last message to arrive.
        while (book.size() != before) {
            before = book.size();
            NodeProcess.pause(500);
        }
        return List.of();
    }

    private List<String> waiting() {
        List<String> waiting = new ArrayList<>(services.query(name, Points.WAITING_EXAMPLES));
        waiting.addAll(services.query(name, PREPARED.formatted(name)));
        waiting.add(services.broker().inDoubt() + " in doubt in the broker");
        return waiting;
    }

    /** A received message may wait a second time. */
    private boolean isDrained() {
        return nothingWaits()
                && arrivals.isComplete()
                && services.query(name, PREPARED.formatted(name)).isEmpty()
                && nothingWaits();
    }

    private boolean nothingWaits() {
        return services.query(name, Points.WAITING).get(0).equals("0");
    }

    Map<Point, Integer> kills() {
        return kills;
    }

    int faults() {
        return faults;
    }

    /** For each death: the time until another message of the dead node's partitions arrived. */
    List<Duration> takeOvers() {
        List<Duration> takeOvers = new ArrayList<>();
        for (Death death : deaths) {
            Long first = death.held().isEmpty() || nodes.size() == 1
                    ? null
                    : book.firstAfter(
                            death.nanos(),
                            details -> details.kind().isInOrder()
                                    && death.held().contains(Points.partition(details.key(), PARTITIONS)));
            if (first != null) {
                takeOvers.add(Duration.ofNanos(first - death.nanos()));
            }
        }
        return takeOvers;
    }

    @Override
    public void close() {
        nodes.forEach(NodeProcess::close);
        if (arrivals != null) {
            arrivals.close();
        }
    }

    /**
     * The death of a node.
     *
     * @param held the partitions that some claim held at the death
     */
    private record Death(long nanos, Set<Integer> held) {}
}
