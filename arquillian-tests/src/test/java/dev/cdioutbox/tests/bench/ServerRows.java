package dev.cdioutbox.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jakarta.json.JsonObject;

import org.junit.jupiter.api.AfterAll;

/** The rows that need Open Liberty: capture, dispatch, latency and idle cost. */
class ServerRows {
    private static final String TRANSACTIONS = "transactions/s";
    private static final String MESSAGES = "messages/s";
    private static final String ROWS_BY_HAND = "hand-written rows, one JDBC batch";
    /** What remains of a capture if only its inserts are counted. */
    private static final String SAME_TABLES = "hand-written rows in tables like the outbox's";

    private static final String RAW_LOOP = "raw JMS loop, batches of 500";
    /** More messages than any way drains in a second. */
    private static final int MOST_PER_SECOND = 12_000;

    private static final int MOST_ROWS_PER_SECOND = 6_000;
    private static final double PAYLOAD = 1024;
    /** The limit that XA sets: a transaction for each row, and nothing else. */
    private static final String BOUND = "hand-written outbox, woken by the commit";
    /** The least that also keeps the order of keys on several nodes. */
    private static final String CLAIMED = BOUND + ", which locks the partition of the key";

    private static final Messaging BROKER = Messaging.chosen();

    private static BenchServer started;

    private final Form form = Form.chosen();

    /**
     * Starts the server for the first row that needs it, and lets it compile the ways that most rows use. The way with more
     * code needs longer.
     */
    private static BenchServer bench() {
        if (started == null) {
            started = new BenchServer(BROKER);
            started.dispatch(false);
            for (String way : List.of("NONE", "BY_HAND", "SAME_TABLES", "OUTBOX")) {
                started.call(
                        "business", Form.chosen().withLongWarmUp().warmUp(), "way", way, "events", 10, "threads", 8);
            }
            started.emptyTables();
        }
        return started;
    }

    /** The dispatcher runs beside the load. */
    private static void dispatching() {
        bench().dispatch(true);
        bench().call("resume");
    }

    /** The dispatcher runs in the blocks that drain a backlog, and pauses between them. */
    private static void paused() {
        bench().dispatch(true);
        bench().call("pause");
    }

    @AfterAll
    static void stop() {
        if (started != null) {
            started.close();
        }
    }

    @Benchmark(Row.NOISE)
    void equalBlocks() throws Exception {
        dispatching();
        Block business = business("NONE", 0, 8);
        Result result = new Result(Row.NOISE, form)
                .add("business transactions", "the same", TRANSACTIONS, Pairs.measure(form, business, business));
        paused();
        result.add("dispatch", "the same", MESSAGES, Pairs.measure(form, this::drain, this::drain));
        write(result);
    }

    @Benchmark(Row.R1)
    void businessTransactionsWithOneEvent() throws Exception {
        capture(Row.R1, 1);
    }

    @Benchmark(Row.R2)
    void businessTransactionsWithTenEvents() throws Exception {
        capture(Row.R2, 10);
    }

    /** The dispatcher is off: the hand-written rows have none either. */
    private void capture(Row row, int events) throws Exception {
        bench().dispatch(false);
        Result result = new Result(row, form).note("dispatcher", "off");
        for (int threads : new int[] {1, 8}) {
            List<Pairs> pairs = Pairs.measure(
                    form,
                    business("OUTBOX", events, threads),
                    List.of(
                            business("BY_HAND", events, threads),
                            business("NONE", 0, threads),
                            business("SAME_TABLES", events, threads)));
            result.add(threads(threads), ROWS_BY_HAND, TRANSACTIONS, pairs.get(0))
                    .add(threads(threads), "no events", TRANSACTIONS, pairs.get(1), null)
                    .add(threads(threads), SAME_TABLES, TRANSACTIONS, pairs.get(2), null)
                    .add(
                            SAME_TABLES + ", " + threads(threads),
                            ROWS_BY_HAND,
                            TRANSACTIONS,
                            pairs.get(2).ofOthers(pairs.get(0)),
                            null);
        }
        write(result);
    }

    private static Block business(String way, int events, int threads) {
        return time ->
                BenchServer.rate(bench().call("business", time, "way", way, "events", events, "threads", threads));
    }

    private static String threads(int count) {
        return count == 1 ? "1 thread" : count + " threads";
    }

    @Benchmark(Row.R3)
    void directSend() throws Exception {
        dispatching();
        Result result = new Result(Row.R3, form).note("dispatcher", "on");
        for (int threads : new int[] {1, 8}) {
            result.add(
                    threads(threads) + ", as its callers see it",
                    "XA send",
                    TRANSACTIONS,
                    Pairs.measure(form, dispatched("nanos", threads), direct(threads)));
        }
        result.add(
                "8 threads, until the last message is in the broker",
                "XA send",
                TRANSACTIONS,
                Pairs.measure(form, dispatched("publishedNanos", 8), direct(8)));
        write(result);
    }

    private static Block dispatched(String nanos, int threads) {
        return time -> {
            JsonObject done = bench().call("business-until-published", time, "threads", threads);
            bench().receivePublished();
            return BenchServer.rate(done, nanos);
        };
    }

    private static Block direct(int threads) {
        return time -> {
            JsonObject done = bench().call("business", time, "way", "DIRECT", "events", 1, "threads", threads);
            bench().receiveRaw(done.getJsonNumber("count").longValue());
            return BenchServer.rate(done);
        };
    }

    @Benchmark(Row.R4)
    void dispatch() throws Exception {
        paused();
        Result result = new Result(Row.R4, form)
                .add("dispatch", RAW_LOOP, MESSAGES, Pairs.measure(form, this::drain, this::send));
        bench().server().set("outbox.dispatcher.concurrency", "1");
        result.add("dispatch, concurrency=1", RAW_LOOP, MESSAGES, Pairs.measure(form, this::drain, this::send), null);
        bench().server().unset("outbox.dispatcher.concurrency");
        write(result);
    }

    /** The dispatcher is paused before and after. */
    private double drain(Duration time) {
        bench().fill((time.toSeconds() + 1) * MOST_PER_SECOND);
        double rate = BenchServer.rate(bench().call("drain", time));
        bench().receivePublished();
        return rate;
    }

    private double send(Duration time) {
        return raw(bench().call("send", time));
    }

    private static double raw(JsonObject done) {
        bench().receiveRaw(done.getJsonNumber("count").longValue());
        return BenchServer.rate(done);
    }

    @Benchmark(Row.R5)
    void exactlyOnce() throws Exception {
        paused();
        Result result = new Result(Row.R5, form)
                .add(
                        "exactly-once",
                        "at-least-once",
                        MESSAGES,
                        Pairs.measure(form, drain("exactly-once"), drain("at-least-once")));
        bench().deliver("exactly-once");
        write(result);
    }

    private Block drain(String delivery) {
        return time -> {
            bench().deliver(delivery);
            return drain(time);
        };
    }

    @Benchmark(Row.R7)
    void peers() throws Exception {
        paused();
        // ActiveMQ's answer to each send bounds all ways: there, the limits are those over the raw loop.
        Target target = BROKER == Messaging.ACTIVEMQ ? null : Row.R7.target();
        List<Block> others = new ArrayList<>(List.of(poll("true"), poll("false"), ServerRows::gruelbox));
        if (target == null) {
            others.add(this::send);
        }
        List<Pairs> pairs = Pairs.measure(form, this::drain, others);
        Result result = new Result(Row.R7, form)
                .add("dispatch", "hand-written XA poller, row by row", MESSAGES, pairs.get(0), target)
                .add("dispatch", "hand-written poller, two local commits", MESSAGES, pairs.get(1), target)
                .add("dispatch", "gruelbox, 8 threads", MESSAGES, pairs.get(2), target);
        if (target == null) {
            result.add("dispatch", RAW_LOOP, MESSAGES, pairs.get(3), Row.R4.target());
        }
        write(result.note("gruelbox", System.getProperty("bench.gruelbox"))
                .note("transactional-event", "not measured: its licence (LGPL) keeps it out of this build"));
    }

    private static double gruelbox(Duration time) {
        bench().fillGruelbox((time.toSeconds() + 1) * MOST_ROWS_PER_SECOND);
        JsonObject done = bench().call("gruelbox-drain", time);
        long sent = done.getJsonNumber("sent").longValue();
        assertThat(done.getJsonNumber("deleted").longValue()).as("rows deleted").isEqualTo(sent);
        bench().receiveRaw(sent);
        return BenchServer.rate(done);
    }

    /** The broker may deliver in two local commits once more after a crash; a block without one loses and doubles none. */
    private static Block poll(String together) {
        return time -> {
            bench().fillByHand((time.toSeconds() + 1) * MOST_ROWS_PER_SECOND);
            return raw(bench().call("poll", time, "together", together));
        };
    }

    @Benchmark(Row.R8)
    void latency() throws Exception {
        dispatching();
        warmUpAtFullRate("OUTBOX", "RAW", "WOKEN", "CLAIMED");
        Result result = new Result(Row.R8, form);
        for (int rate : new int[] {200, 10}) {
            List<Pairs> pairs = Pairs.measure(
                    rate == 200 ? form.withLongWarmUp() : form,
                    median("OUTBOX", rate),
                    List.of(median("RAW", rate), median("WOKEN", rate), median("CLAIMED", rate)));
            String raw = "raw JMS send";
            String at = " at " + rate + "/s";
            result.add("median" + at, BOUND, "µs", pairs.get(1))
                    .add("median" + at, raw, "µs", pairs.get(0), null)
                    .add(BOUND + at, raw, "µs", pairs.get(1).ofOthers(pairs.get(0)), null)
                    .add("median" + at, CLAIMED, "µs", pairs.get(2), null)
                    .add(CLAIMED + at, BOUND, "µs", pairs.get(2).ofOthers(pairs.get(1)), null);
        }
        write(result);
    }

    /** At 10/s the JVM would compile for minutes, and the way with more code would look worse. */
    private void warmUpAtFullRate(String... ways) {
        for (String way : ways) {
            latency(form.withLongWarmUp().warmUp(), way, 0, 8);
        }
    }

    private static Block median(String way, int rate) {
        return time -> latency(time, way, rate, 1).getInt("median");
    }

    private static JsonObject latency(Duration time, String way, int rate, int threads) {
        JsonObject measured = bench().call("latency", time, "way", way, "rate", rate, "threads", threads);
        assertThat(measured.getInt("lost"))
                .as("lost messages of a block of %s", way)
                .isZero();
        bench().received(measured);
        return measured;
    }

    @Benchmark(Row.R9)
    void tail() throws Exception {
        dispatching();
        latency(form.warmUp(), "OUTBOX", 0, 8);
        JsonObject highest = latency(form.block(), "OUTBOX", 0, 8);
        int rate = (int) (.3
                * highest.getInt("messages")
                * TimeUnit.SECONDS.toNanos(1)
                / highest.getJsonNumber("nanos").doubleValue());
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < form.pairs(); i++) {
            JsonObject measured = latency(form.block(), "OUTBOX", rate, 8);
            ratios.add(measured.getInt("p99") / (double) measured.getInt("median"));
        }
        write(new Result(Row.R9, form)
                .add("99th percentile over the median, " + rate + "/s", "times", interval(ratios), Row.R9.target()));
    }

    private static Interval interval(List<Double> samples) {
        return Interval.of(samples.stream().mapToDouble(Double::doubleValue).toArray());
    }

    @Benchmark(Row.R12)
    void idle() throws Exception {
        dispatching();
        Thread.sleep(form.warmUp().toMillis());
        List<Idle> idle = new ArrayList<>();
        for (int i = 0; i < form.ofFewPairs().pairs(); i++) {
            idle.add(Idle.measure(form, bench().database(), bench()::cpu));
        }
        write(new Result(Row.R12, form)
                .add("statements, two destinations", "1/s", Idle.interval(idle, Idle::statements), Row.R12.target())
                .add("transactions, two destinations", "1/s", Idle.interval(idle, Idle::transactions), null)
                .add("CPU of all processes", "% of a core", Idle.interval(idle, Idle::cpu), null)
                .add("write-ahead log", "bytes/s", Idle.interval(idle, Idle::walBytes), null));
    }

    @Benchmark(Row.R17)
    void cpu() throws Exception {
        dispatching();
        warmUpAtFullRate("OUTBOX", "DIRECT", "WOKEN", "RAW", "CLAIMED");
        String unit = "ms of CPU per event";
        List<Pairs> pairs = Pairs.measure(
                form.withLongWarmUp(), cpu("OUTBOX"), List.of(cpu("DIRECT"), cpu("WOKEN"), cpu("RAW"), cpu("CLAIMED")));
        write(new Result(Row.R17, form)
                .add("CPU of all processes at 200/s", BOUND, unit, pairs.get(1))
                .add("CPU of all processes at 200/s", "XA send", unit, pairs.get(0), null)
                .add(BOUND, "XA send", unit, pairs.get(1).ofOthers(pairs.get(0)), null)
                .add(BOUND, "raw JMS send", unit, pairs.get(1).ofOthers(pairs.get(2)), null)
                .add("CPU of all processes at 200/s", CLAIMED, unit, pairs.get(3), null)
                .add(CLAIMED, BOUND, unit, pairs.get(3).ofOthers(pairs.get(1)), null));
    }

    private static Block cpu(String way) {
        return time -> {
            Duration before = bench().cpu();
            int messages = latency(time, way, 200, 1).getInt("messages");
            return bench().cpu().minus(before).toMillis() / (double) messages;
        };
    }

    @Benchmark(Row.R18)
    void writeAheadLog() throws Exception {
        dispatching();
        // Else a checkpoint might come in the middle, and whole pages after it.
        bench().database().update("CHECKPOINT");
        List<Double> ratios = new ArrayList<>();
        List<Double> single = new ArrayList<>();
        for (int i = 0; i <= form.ofFewPairs().pairs(); i++) {
            double none = walPerTransaction(
                    () -> bench().call("business", form.block(), "way", "NONE", "events", 0, "threads", 8)
                            .getInt("count"));
            double outbox = walPerTransaction(() -> {
                JsonObject done = bench().call("business-until-published", form.block(), "threads", 8);
                bench().receivePublished();
                return done.getInt("count");
            });
            double slow = walPerTransaction(
                    () -> latency(form.block(), "OUTBOX", 200, 1).getInt("messages"));
            // The first round is the warm-up.
            if (i > 0) {
                ratios.add((outbox - none) / PAYLOAD);
                single.add((slow - none) / PAYLOAD);
            }
        }
        write(new Result(Row.R18, form)
                .add("8 threads, as fast as they can", "bytes per byte", interval(ratios), Row.R18.target())
                .add("1 thread, 200/s", "bytes per byte", interval(single), null)
                .note("counted", "the log of a business transaction with an event, less that of one without"));
    }

    private interface Work {
        int run() throws Exception;
    }

    private static double walPerTransaction(Work work) throws Exception {
        long before = Idle.wal(bench().database());
        int done = work.run();
        return (Idle.wal(bench().database()) - before) / (double) done;
    }

    private static void write(Result result) {
        result.note(bench().account()).note(bench().conditions()).write(BROKER);
    }
}
