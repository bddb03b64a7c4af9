package dev.cdioutbox.tests.bench;

import static dev.cdioutbox.tests.bench.Engine.KEYS;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.tests.server.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The rows of the engine alone: without a server, and with a transport that does nothing. */
class EngineRows {
    /** Each commit waits for the disk. The buffers and the log are of the size that an administrator would choose. */
    private static final Map<String, String> SETTINGS =
            new TreeMap<>(Map.of("fsync", "on", "shared_buffers", "512MB", "max_wal_size", "4GB"));

    /** The backlog for each second of a block: about as many messages as one dispatcher delivers. */
    private static final int PER_SECOND = 20_000;

    /** The same for the loop. */
    private static final int BY_HAND_PER_SECOND = 50_000;

    /** Of a business transaction of the load without a fixed rate, each with a key of its own. */
    private static final int EVENTS = 200;

    /** Messages: the load waits while more of them wait. */
    private static final int MOST_WAITING = 10_000;

    /** In milliseconds: for a wake-up that came when a run was about to end. */
    private static final int WAKE_UP_MILLIS = 20;

    /** Of a count that hardly varies. */
    private static final int MEASUREMENTS = 5;

    /** The template of the key that drains. */
    private static final String HOT = "hot";

    private static final String RATE = "messages/s";
    private static final String BY_HAND = "hand-written loop";

    /** The transactions of these rows have one branch, but with 0 the dispatcher would refuse exactly-once. */
    private static final int PREPARED_TRANSACTIONS = 10;

    private final Form form = Form.chosen().ofFewPairs();
    private final boolean isShort = form.name().equals(Form.SHORT.name());
    private final PostgresServer server = new PostgresServer();
    private Engine engine;

    @BeforeEach
    void start() throws Exception {
        SETTINGS.forEach(server::with);
        server.start(PREPARED_TRANSACTIONS);
        engine = new Engine(server, "outbox_");
    }

    @AfterEach
    void stop() throws Exception {
        try (server) {
            if (engine != null) {
                engine.close();
            }
        }
    }

    @Benchmark(Row.R6)
    void engineOverAHandWrittenLoop() throws Exception {
        HandLoop loop = new HandLoop(server, engine.batchSize());
        List<Double> cpu = new ArrayList<>();
        List<Double> cpuByHand = new ArrayList<>();
        Block ours = time -> {
            fill(backlog(time));
            return withCpu(cpu, () -> engine.drain(1, backlog(time)));
        };
        Block byHand = time -> {
            long messages = BY_HAND_PER_SECOND * time.toSeconds();
            loop.fill(messages);
            return withCpu(cpuByHand, () -> loop.drain(messages));
        };

        result(Row.R6)
                .add("engine", BY_HAND, RATE, Pairs.measure(Form.chosen().withLongWarmUp(), ours, byHand))
                .add("CPU of all processes", BY_HAND, "µs/message", Pairs.afterWarmUp(cpu, cpuByHand), null)
                .write();
    }

    @Benchmark(Row.R10)
    void publishedRowsAreKept() throws Exception {
        Result result = result(Row.R10);
        try (Engine other = new Engine(server, "few_")) {
            Kept few = new Kept(other, 1000);
            for (int kept : isShort ? new int[] {100_000} : new int[] {100_000, 1_000_000}) {
                Kept many = new Kept(engine, kept);
                few.pages.clear();
                String what = "%,d rows kept".formatted(kept);
                result.add(what, "1,000", RATE, Pairs.measure(form, many, few))
                        .add(
                                what + ", pages read",
                                "1,000",
                                "pages/message",
                                Pairs.afterWarmUp(many.pages, few.pages),
                                null);
            }
        }
        result.write();
    }

    @Benchmark(Row.R11)
    void lastTenthOfALongDrain() throws Exception {
        long messages = isShort ? 200_000 : 1_000_000;
        dispatchers(1).run(form.warmUp());
        List<Pairs.Pair> tenths = new ArrayList<>();
        for (int drain = 0; drain < form.pairs(); drain++) {
            Deliveries deliveries = drain(1, messages);
            tenths.add(new Pairs.Pair(
                    deliveries.rate(messages - messages / 10, messages), deliveries.rate(0, messages / 10)));
        }

        result(Row.R11)
                .add("last tenth", "first tenth", RATE, new Pairs(tenths))
                .note("messages of a drain", messages)
                .note("heap of the JVM in MB", Runtime.getRuntime().maxMemory() >> 20)
                .write();
    }

    @Benchmark(Row.R13)
    void severalDispatchers() throws Exception {
        result(Row.R13)
                .add("two dispatchers", "one", RATE, Pairs.measure(form, dispatchers(2), dispatchers(1)))
                .add(
                        "eight dispatchers",
                        "one",
                        RATE,
                        Pairs.measure(form, dispatchers(8), dispatchers(1)),
                        Target.atLeast(.80, .95))
                .add("noise: one dispatcher", "one", RATE, Pairs.measure(form, dispatchers(1), dispatchers(1)), null)
                .write();
    }

    /** The second half of each block counts: by then the reader's snapshot is old. */
    @Benchmark(Row.R14)
    void readerHoldsASnapshot() throws Exception {
        Form longer = new Form(form.name(), form.pairs(), Duration.ofMinutes(isShort ? 1 : 10), form.warmUp());
        Block reading = time -> {
            engine.clear();
            try (Connection reader = server.connect();
                    Statement statement = reader.createStatement()) {
                reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                reader.setAutoCommit(false);
                statement.execute("SELECT pg_current_snapshot()");
                return rateUnderLoad(time);
            }
        };
        Block without = time -> {
            engine.clear();
            return rateUnderLoad(time);
        };

        result(Row.R14)
                .add("with the reader", "without", RATE, Pairs.measure(longer, reading, without))
                .note("age of the snapshot in s", longer.block().toSeconds())
                .write();
    }

    @Benchmark(Row.R16)
    void oneKeyDrains() throws Exception {
        engine.saveAs(HOT, 1, Engine.PAYLOAD);
        Form longer = new Form(form.name(), form.pairs(), Duration.ofSeconds(isShort ? 8 : 50), form.warmUp());
        OtherKeys beside = new OtherKeys(true);
        OtherKeys alone = new OtherKeys(false);

        result(Row.R16)
                .add("keys of other partitions", "without the drain", "ms", Pairs.measure(longer, beside, alone))
                .add(
                        "keys of its partition",
                        "without the drain",
                        "ms",
                        Pairs.afterWarmUp(beside.ofItsPartition, alone.ofItsPartition),
                        null)
                .note("events/s of other keys", SteadyLoad.PER_SECOND)
                .note("messages of the key that drains", backlog(longer.block()))
                .note("status refreshes that failed", beside.failedRefreshes + alone.failedRefreshes)
                .write();
    }

    /** JDBC driver and accounts of the benchmark included. {@code AllocatedBytesTest} has the gates. */
    @Benchmark(Row.R19)
    void bytesAllocatedForAnEvent() throws Exception {
        engine.clear();
        Result result = result(Row.R19);
        for (int events : new int[] {1, 10}) {
            allocated(result, "captured, %d in a transaction".formatted(events), () -> captured(events));
        }
        engine.clear();
        Deliveries deliveries = new Deliveries();
        try (Node node = engine.start(deliveries)) {
            allocated(result, "delivered alone", () -> deliveredAlone(node, deliveries));
            allocated(
                    result,
                    "delivered in batches of " + engine.batchSize(),
                    () -> deliveredInBatches(node, deliveries));
        }
        result.write();
    }

    private static void allocated(Result result, String what, Callable<Double> measure) throws Exception {
        for (int time = 0; time < MEASUREMENTS; time++) {
            // The compiler saves allocations, once it knows the code.
            measure.call();
        }
        double[] bytes = new double[MEASUREMENTS];
        for (int time = 0; time < MEASUREMENTS; time++) {
            bytes[time] = measure.call();
        }
        result.add(what, "bytes/event", Interval.of(bytes), null);
    }

    private double captured(int events) throws Exception {
        long bytes = 0;
        for (int time = 0; time < EVENTS; time++) {
            List<NewMessage> transaction = transaction(events);
            Allocated before = Allocated.now();
            engine.write(transaction);
            bytes += Allocated.now().here() - before.here();
        }
        return (double) bytes / EVENTS / events;
    }

    private double deliveredAlone(Node node, Deliveries deliveries) throws Exception {
        Allocated before = Allocated.now();
        for (int event = 0; event < EVENTS; event++) {
            List<NewMessage> transaction = transaction(1);
            long all = deliveries.count() + 1;
            engine.write(transaction);
            node.wake(transaction);
            node.awaitAll(all, deliveries);
        }
        return (double) (Allocated.now().elsewhere() - before.elsewhere()) / EVENTS;
    }

    private double deliveredInBatches(Node node, Deliveries deliveries) throws Exception {
        long before = deliveries.count();
        engine.copy(KEYS, PER_SECOND);
        Allocated begin = Allocated.now();
        node.wake();
        node.awaitAll(before + PER_SECOND, deliveries);
        return (double) (Allocated.now().elsewhere() - begin.elsewhere()) / PER_SECOND;
    }

    /** Each variant over 1 KiB, 1,000 keys and one destination. */
    @Benchmark(Row.GROWTH)
    void payloadKeysAndDestinationsGrow() throws Exception {
        Result result = result(Row.GROWTH);
        for (int payload : new int[] {100, 10 << 10}) {
            // At most as many bytes as usual, so that no block lasts long.
            long messages = backlog(form.block()) * 1024 / Math.max(1024, payload);
            String template = "payload_" + payload;
            engine.saveAs(template, Engine.TEMPLATE_ROWS, payload);
            compare(result, "a payload of %,d bytes".formatted(payload), "1,024", variant(engine, template, messages));
        }
        engine.saveAs("one_key", 1, Engine.PAYLOAD);
        compare(result, "one key", "1,000", variant(engine, "one_key", backlog(form.block())));
        result.write();
    }

    private void compare(Result result, String what, String over, Block block) throws Exception {
        result.add(what, over, RATE, Pairs.measure(form, block, dispatchers(1)), null);
    }

    private static Block variant(Engine engine, String template, long messages) {
        return time -> {
            engine.clear();
            engine.copy(template, messages);
            return engine.drain(1, messages).rate();
        };
    }

    private Result result(Row row) {
        return new Result(row, form)
                .note("PostgreSQL", server.query("SHOW server_version").get(0))
                .note("PostgreSQL's settings", SETTINGS)
                .note("payload in bytes", Engine.PAYLOAD)
                .note("configuration of the engine", "the default one, batches of " + engine.batchSize())
                .note("messages lost, doubled or out of order", 0);
    }

    private static long backlog(Duration time) {
        return PER_SECOND * time.toSeconds();
    }

    private Block dispatchers(int number) {
        return time -> drain(number, backlog(time)).rate();
    }

    private Deliveries drain(int dispatchers, long messages) throws Exception {
        fill(messages);
        return engine.drain(dispatchers, messages);
    }

    private void fill(long messages) throws SQLException {
        engine.clear();
        engine.copy(KEYS, messages);
    }

    /** Returns the rate of a drain, and adds the CPU time for each message in microseconds. */
    private double withCpu(List<Double> micros, Callable<Deliveries> drain) throws Exception {
        Duration before = cpu();
        Deliveries deliveries = drain.call();
        micros.add(cpu().minus(before).toNanos() / 1e3 / deliveries.count());
        return deliveries.rate();
    }

    /** The CPU time of this JVM and of PostgreSQL. */
    private Duration cpu() {
        return server.cpu()
                .plus(ProcessHandle.current().info().totalCpuDuration().orElseThrow());
    }

    /** Writes as fast as one dispatcher delivers. */
    private double rateUnderLoad(Duration time) throws Exception {
        Deliveries deliveries = new Deliveries();
        long begin = System.nanoTime();
        long middle = begin + time.toNanos() / 2;
        long end = begin + time.toNanos();
        try (Node node = engine.start(deliveries)) {
            long written = 0;
            while (System.nanoTime() < end) {
                List<NewMessage> transaction = transaction(EVENTS);
                engine.write(transaction);
                written += EVENTS;
                node.wake(transaction);
                while (!deliveries.await(written - MOST_WAITING, WAKE_UP_MILLIS)) {
                    node.wake();
                }
            }
            node.awaitAll(written, deliveries);
            deliveries.check(written);
        }
        return deliveries.rateBetween(middle, end);
    }

    private static List<NewMessage> transaction(int events) {
        return IntStream.range(0, events)
                .mapToObj(i -> Engine.message(Engine.key(i), ""))
                .toList();
    }

    /** Dispatch with published messages in the table. */
    private static final class Kept implements Block {
        private final Engine engine;
        private final long last;
        private final List<Double> pages = new ArrayList<>();

        Kept(Engine engine, long messages) throws SQLException {
            this.engine = engine;
            engine.clear();
            engine.copyPublished(messages);
            last = engine.lastSequence();
        }

        @Override
        public double run(Duration time) throws Exception {
            engine.deleteAfter(last);
            engine.copy(KEYS, backlog(time));
            long before = engine.pagesRead();
            double rate = engine.drain(1, backlog(time)).rate();
            pages.add((double) (engine.pagesRead() - before) / backlog(time));
            return rate;
        }
    }

    /** The 99th percentile of the latency of single events, in milliseconds. */
    private final class OtherKeys implements Block {
        private final boolean besideADrain;
        private final List<Double> ofItsPartition = new ArrayList<>();
        private int failedRefreshes;

        OtherKeys(boolean besideADrain) {
            this.besideADrain = besideADrain;
        }

        @Override
        public double run(Duration time) throws Exception {
            engine.clear();
            long draining = besideADrain ? backlog(time) : 0;
            if (besideADrain) {
                engine.copy(HOT, draining);
            }
            Deliveries deliveries = new Deliveries();
            long events;
            double ofOthers;
            try (Node node = engine.start(deliveries);
                    SteadyLoad load = new SteadyLoad((key, begin) -> write(key, begin, node))) {
                node.listen(messages -> messages.forEach(message ->
                        load.arrived(message.event().key(), message.body().text())));
                load.start();
                node.wake();
                long end = System.nanoTime() + time.toNanos();
                while (System.nanoTime() < end && (!besideADrain || deliveries.count() - load.arrived() < draining)) {
                    deliveries.await(Long.MAX_VALUE, WAKE_UP_MILLIS);
                }
                events = load.stop();
                while (load.arrived() < events) {
                    node.wake();
                    deliveries.await(Long.MAX_VALUE, WAKE_UP_MILLIS);
                }
                ofItsPartition.add(load.p99(this::isBeside));
                ofOthers = load.p99(key -> !isBeside(key));
            }
            failedRefreshes += deliveries.failedRefreshes();
            deliveries.check(draining + events - engine.waiting());
            return ofOthers;
        }

        private void write(String key, String begin, Node node) throws Exception {
            List<NewMessage> transaction = List.of(Engine.message(key, begin));
            engine.write(transaction);
            node.wake(transaction);
        }

        private boolean isBeside(String key) {
            return engine.areTogether(key, Engine.key(0));
        }
    }
}
