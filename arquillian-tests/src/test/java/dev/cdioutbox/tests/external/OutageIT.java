package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import jakarta.json.JsonValue;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.Trap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * After an outage of the broker or the database, dispatch resumes without a restart of the servers and without a
 * charged attempt. The servers have Liberty's default timer settings. The length of an outage is a number of failed
 * runs.
 */
@ExtendWith(Landscape.Started.class)
class OutageIT {
    private static final int INTERVALS = Integer.getInteger("outage.intervals");
    private static final int WORKERS = 2;
    private static final String REACHED_THE_CONTAINER = "CNTR0020E.*Dispatchers.*destination 'news'";
    private static final int BACKLOG_BATCHES = 50;

    private static Landscape landscape;
    private static SampleClient sample;

    private WorkerObserver worker;

    @BeforeAll
    static void enter(Landscape started) {
        landscape = started;
        sample = started.sampleOfA;
    }

    @BeforeEach
    void settle() {
        landscape.awaitQuiet();
        worker = new WorkerObserver(landscape.a, "default");
    }

    /** Ends the outage of a test that failed, so that the next test can pass. */
    @AfterEach
    void restore() {
        landscape.broker.startIfDown();
        landscape.broker.letGo();
        landscape.a.set("cdioutbox.transaction.timeout", "120s");
        landscape.b.set("outbox.dispatcher.interval", "PT1S");
        landscape.b.set("outbox.dispatcher.enabled", "true");
        List.of(landscape.a, landscape.b).forEach(server -> {
            server.set("outbox.retry.max-attempts", "10");
            server.set("outbox.retry.max-delay", "PT10M");
        });
    }

    @Test
    void brokerComesBackAndNoMessageWasCharged() {
        double failures = failures();
        landscape.broker.stop();
        // With fewer messages one server could hold all of them; the other one's run would find none, and succeed.
        List<String> orders = placeOrders(40);
        landscape.pile(BACKLOG_BATCHES * Landscape.BATCH_SIZE);
        // Several intervals: the timer must keep calling after its failures.
        worker.awaitFailedRuns(INTERVALS);
        assertThat(failures() - failures).isGreaterThanOrEqualTo(INTERVALS);
        assertThat(landscape.attempts(orders)).containsOnly("0");
        assertHealth("live", "outbox-dispatcher", "UP");
        assertHealth("ready", "outbox-store", "UP");

        int before = worker.failedRuns();
        landscape.broker.start();
        long back = System.nanoTime();
        int atReturn = worker.failedRuns();
        awaitDeliveries(orders);
        tell("broker back: dispatch and consumer resumed after %.1f s, at an interval of 1 s", secondsSince(back));
        if (atReturn >= before) {
            // Otherwise dispatch had resumed before the test could read the count.
            worker.assertResumedWithinTwoIntervals(atReturn);
        }
        assertThat(landscape.attempts(orders)).containsOnly("1");
        assertBacklogWentOutAtFullSpeed();
        worker.assertQuietLog(WORKERS);
    }

    @Test
    void databaseComesBackAndNoMessageWasCharged() {
        for (LibertyServer server : List.of(landscape.a, landscape.b)) {
            int before = server.log().length();
            server.set("outbox.dispatcher.enabled", "false");
            awaitLog(server, before, "dispatcher.enabled is now false");
        }
        List<String> orders = placeOrders(40);
        landscape.pile(BACKLOG_BATCHES * Landscape.BATCH_SIZE);
        await().atMost(LONG).until(() -> sample.metric("outbox_oldest_pending_age_seconds") > 0);
        landscape.database.stop();
        landscape.a.set("outbox.dispatcher.enabled", "true");
        landscape.b.set("outbox.dispatcher.enabled", "true");
        assertThat(sample.post("/api/orders", SampleClient.order("Ada", "Tea", "1"))
                        .statusCode())
                .isEqualTo(500);
        worker.awaitFailedRuns(INTERVALS);
        assertHealth("ready", "outbox-store", "DOWN");
        assertTimerCalls(sample);
        assertHealth("live", "outbox-dispatcher", "UP");
        // A scrape does not query the database either, and the age of an unsent message still grows.
        double age = sample.metric("outbox_oldest_pending_age_seconds");
        await().atMost(LONG).until(() -> sample.metric("outbox_oldest_pending_age_seconds") > age);

        int before = worker.failedRuns();
        landscape.database.start(Landscape.PREPARED_TRANSACTIONS);
        long back = System.nanoTime();
        int atReturn = worker.failedRuns();
        awaitDeliveries(orders);
        tell("database back: dispatch and consumer resumed after %.1f s, at an interval of 1 s", secondsSince(back));
        if (atReturn >= before) {
            // Otherwise dispatch had resumed before the test could read the count.
            worker.assertResumedWithinTwoIntervals(atReturn);
        }
        assertThat(landscape.attempts(orders)).containsOnly("1");
        assertBacklogWentOutAtFullSpeed();
        assertHealth("ready", "outbox-store", "UP");
        worker.assertQuietLog(WORKERS);
    }

    /**
     * Only the first failure may reach the container; after a second one it would wait for 300 s.
     *
     * <p>With an interval of an hour the timer calls once, half a second after the start. So the second run is the
     * container's retry, and it fails without reporting to the container. Then the container neither retries again nor
     * waits for 300 s.
     */
    @Tag("full")
    @Test
    void containerRetriesTheFirstFailureOnceAndHearsOfNoOther() {
        LibertyServer server = landscape.b;
        WorkerObserver news = new WorkerObserver(server, "news");
        landscape.broker.stop();
        int before = server.log().length();
        server.set("outbox.dispatcher.interval", "PT1H");
        awaitLog(server, before, "dispatcher.interval is now PT1H");
        server.undeploy();
        await().atMost(LONG).until(() -> !server.answers());
        server.deploy();
        await().atMost(LONG).until(server::answers);

        await().atMost(LONG).until(() -> news.failedRuns() == 2);
        assertThat(news.lines(REACHED_THE_CONTAINER)).hasSize(1);

        server.set("outbox.dispatcher.interval", "PT1S");
        news.awaitFailedRuns(2 + INTERVALS);
        assertThat(news.lines(REACHED_THE_CONTAINER)).hasSize(1);
        landscape.broker.start();
        awaitLog(server, news.from(), "OBX-0402: destination 'news'");
        news.assertQuietLog(WORKERS);
    }

    /**
     * Without jms.alwaysSyncSend, ActiveMQ's client does not wait for the sends of a transaction, and the broker
     * commits the transaction without the refused message.
     */
    @Test
    void messageThatTheBrokerRefusesIsNeverTakenForSent() {
        landscape.forget("copy.news");
        List.of(landscape.a, landscape.b).forEach(server -> {
            server.set("outbox.retry.max-attempts", "1");
            server.set("outbox.retry.max-delay", "PT1S");
        });
        AtomicInteger piled = new AtomicInteger();
        landscape.pile(1, Trap.UNWELCOME);
        // The outbox gives the message up only if another one is delivered; otherwise the destination may be at fault.
        await("it is given up").atMost(LONG).until(() -> {
            landscape.pile(20);
            piled.addAndGet(20);
            return landscape
                    .database
                    .query("SELECT status FROM outbox_message_view WHERE payload = 'unwelcome'")
                    .equals(List.of("ABANDONED"));
        });
        landscape.delete("payload = 'unwelcome'");
        landscape.awaitQuiet();
        assertThat(landscape.broker.drain("copy.news")).hasSize(piled.get());
    }

    /** The timer calls each second while a worker waits: the age of its last call falls again and again. */
    private static void assertTimerCalls(SampleClient node) {
        AtomicReference<Double> last = new AtomicReference<>(0.0);
        AtomicInteger calls = new AtomicInteger();
        await("the timer calls").atMost(LONG).until(() -> {
            double age = node.metric("outbox_last_tick_age_seconds");
            return age < last.getAndSet(age) && calls.incrementAndGet() >= 3;
        });
    }

    /** The check must answer during an outage, since an orchestrator does not wait. */
    private static void assertHealth(String kind, String check, String status) {
        await(check + " " + status).atMost(LONG).untilAsserted(() -> assertThat(
                        Http.json(sample.get("/health/" + kind)).asJsonObject().getJsonArray("checks").stream()
                                .map(JsonValue::asJsonObject)
                                .filter(answer -> answer.getString("name").equals(check))
                                .map(answer -> answer.getString("status")))
                .containsExactly(status));
    }

    private static void awaitDeliveries(List<String> orders) {
        for (String order : orders) {
            await("delivery of " + order).atMost(LONG).until(() -> !sample.deliveries(order)
                    .isEmpty());
            assertThat(sample.deliveries(order)).hasSize(1);
        }
    }

    private static List<String> placeOrders(int number) {
        return Stream.generate(sample::placeOrder).limit(number).toList();
    }

    private static double failures() {
        Double value = sample.metric("outbox_failed_runs_total", "destination=\"default\"");
        return value == null ? 0 : value;
    }

    /**
     * A worker must send batch after batch. With one batch for each interval of a second, the two servers would send at
     * most 22 batches in any ten seconds.
     */
    private static void assertBacklogWentOutAtFullSpeed() {
        landscape.awaitQuiet();
        String last = "SELECT published_at FROM outbox_message_view WHERE destination = 'news' ORDER BY seq DESC LIMIT "
                + BACKLOG_BATCHES * Landscape.BATCH_SIZE;
        // The test takes the best ten seconds, so that a pause of the machine does not fail it.
        int most = Integer.parseInt(landscape
                .database
                .query("SELECT max(n) FROM (SELECT count(*) OVER (ORDER BY published_at"
                        + " RANGE BETWEEN CURRENT ROW AND INTERVAL '10 seconds' FOLLOWING) AS n FROM (" + last
                        + ") backlog) windows")
                .get(0));
        tell("%d of %d messages in the best ten seconds after an outage", most, BACKLOG_BATCHES * Landscape.BATCH_SIZE);
        assertThat(most).isGreaterThan(2 * 11 * Landscape.BATCH_SIZE);
    }
}
