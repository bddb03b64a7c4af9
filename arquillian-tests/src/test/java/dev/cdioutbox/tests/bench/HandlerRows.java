package dev.cdioutbox.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import jakarta.json.JsonObject;

import dev.cdioutbox.tests.bench.app.handle.HandlerServlet;
import org.junit.jupiter.api.AfterAll;

/** The rows of handlers: work of the application after the commit, without a broker. */
class HandlerRows {
    private static final String CONCURRENCY = "outbox.destinations.handled.dispatcher.concurrency";
    private static final String HANDLERS = "handlers/s";
    private static final String TRANSACTIONS = "transactions/s";
    /** The default of {@code outbox.dispatcher.concurrency}. */
    private static final int DISPATCHING = 2;

    private static final int BUSINESS = 8;
    /** More than any way handles in a second. */
    private static final int MOST_PER_SECOND = 6_000;

    private static BenchServer started;

    private final Form form = Form.chosen();
    private long checked;

    /** A server of their own: in the other rows, the handler would be one more destination. */
    private static BenchServer bench() {
        if (started == null) {
            started = new BenchServer(Messaging.LIBERTY, HandlerServlet.class.getPackage());
            started.database().update("CREATE TABLE effect (number BIGINT NOT NULL, account VARCHAR(100) NOT NULL)");
        }
        return started;
    }

    @AfterAll
    static void stop() {
        if (started != null) {
            started.close();
        }
    }

    @Benchmark(Row.H1)
    void handlers() throws Exception {
        bench().call("handlers/pause");
        write(new Result(Row.H1, form)
                .add(
                        "handlers, backlog",
                        "hand-written loop, " + DISPATCHING + " threads",
                        HANDLERS,
                        Pairs.measure(form, this::drain, this::loop)));
    }

    private double drain(Duration time) {
        long missing = most(time) - waiting();
        if (missing > 0) {
            bench().call("handlers/fill", "count", missing);
        }
        JsonObject done = bench().call("handlers/drain", time);
        assertThat(waiting()).as("messages that wait at the end of the block").isPositive();
        check();
        return BenchServer.rate(done);
    }

    private static long waiting() {
        return bench().number(
                        "SELECT count(*) FROM outbox_queue JOIN outbox_message USING (seq) WHERE seq > 0 AND destination = 'handled'");
    }

    private static long most(Duration time) {
        return (time.toSeconds() + 1) * MOST_PER_SECOND;
    }

    private double loop(Duration time) {
        long missing = most(time) - bench().number("SELECT count(*) FROM by_hand");
        bench().database()
                .update("INSERT INTO by_hand (message_key, payload) SELECT 'account-' || n % 1000,"
                        + " '#' || -nextval(pg_get_serial_sequence('by_hand', 'id')) || ';' || repeat('x', 1000)"
                        + " FROM generate_series(1, " + missing + ") n");
        JsonObject done = bench().call("handlers/loop", time, "threads", DISPATCHING);
        check();
        return BenchServer.rate(done);
    }

    @Benchmark(Row.H2)
    void businessTransactions() throws Exception {
        bench().server().set(CONCURRENCY, String.valueOf(BUSINESS));
        bench().call("handlers/resume");
        // Three ways in one JVM: with less, the compiler takes most of the first way's CPU, and none of the last one's.
        Form warm = form.withWarmUp(Duration.ofMinutes(2));
        List<Pairs> overOthers =
                Pairs.measure(warm, business("outbox"), List.of(business("gruelbox"), business("by-hand")));
        Pairs overGruelbox = overOthers.get(0);
        write(new Result(Row.H2, form)
                .add(
                        "8 threads and 8 that handle, until the last event is handled",
                        "gruelbox, with as many threads",
                        TRANSACTIONS,
                        overGruelbox)
                // The bound: nothing on JTA does less.
                .add(
                        "by hand in JTA transactions, without order and retries",
                        "gruelbox, with as many threads",
                        TRANSACTIONS,
                        overOthers.get(1).ofOthers(overGruelbox),
                        null)
                .note("gruelbox", System.getProperty("bench.gruelbox") + ", which keeps no order"));
        bench().server().unset(CONCURRENCY);
    }

    private Block business(String way) {
        return time -> {
            JsonObject done = bench().call("handlers/" + way, time, "threads", BUSINESS);
            long effects = check();
            assertThat(effects).as("effects of " + way).isGreaterThanOrEqualTo(done.getInt("count"));
            return BenchServer.rate(done, "handledNanos");
        };
    }

    /** Each event has one effect. */
    private long check() {
        long effects = bench().number("SELECT count(*) FROM effect");
        assertThat(bench().number("SELECT count(*) - count(DISTINCT number) FROM effect"))
                .as("events that were handled twice")
                .isZero();
        bench().database().update("TRUNCATE effect");
        checked += effects;
        return effects;
    }

    private void write(Result result) {
        result.note("effects checked", checked)
                .note("effects twice", 0)
                .note(bench().conditions())
                .write(Messaging.LIBERTY);
        bench().emptyTables();
    }
}
