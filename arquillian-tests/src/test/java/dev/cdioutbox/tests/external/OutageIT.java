package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.SOON;
import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.json.JsonValue;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.Trap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Broker or database are away for a while, and come back; nobody restarts the servers. */
@ExtendWith(Landscape.Started.class)
class OutageIT {
    private static final String FAILURES = "outbox_publish_failures_total";
    private static final String HELD = "outbox_partitions_held";

    private static Landscape landscape;
    private static SampleClient sample;

    @BeforeAll
    static void enter(Landscape started) {
        landscape = started;
        sample = started.sampleOfA;
    }

    @BeforeEach
    void settle() {
        landscape.awaitQuiet();
    }

    @Test
    void brokerComesBackAndNobodyWasCharged() {
        int before = landscape.a.log().length();
        double failures = failures();
        landscape.broker.stop();
        List<String> orders = List.of(sample.placeOrder(), sample.placeOrder(), sample.placeOrder());
        // Several intervals, so that the timer was seen to go on after its failures.
        await().atMost(SOON).until(() -> failures() >= failures + 5);
        assertThat(landscape.attempts(orders)).containsExactly("0");
        assertHealth("live", "outbox-dispatcher", "UP");
        assertHealth("ready", "outbox-store", "UP");

        landscape.broker.start();
        long back = System.nanoTime();
        double atReturn = failures();
        awaitDeliveries(orders);
        assertThat(failures() - atReturn)
                .as("calls of the timer that failed though the broker was back: only one that had begun before")
                .isLessThanOrEqualTo(1);
        tell("broker back: dispatch and consumer resumed after %.1f s, at an interval of 1 s", secondsSince(back));
        assertThat(landscape.attempts(orders)).containsExactly("1");
        assertQuietLog(before);
    }

    @Test
    void databaseComesBackAndNobodyWasCharged() {
        landscape.a.set("outbox.dispatcher.enabled", "false");
        landscape.b.set("outbox.dispatcher.enabled", "false");
        awaitLog(landscape.a, 0, "outbox.dispatcher.enabled is now false");
        awaitLog(landscape.b, 0, "outbox.dispatcher.enabled is now false");
        List<String> orders = List.of(sample.placeOrder(), sample.placeOrder());
        await().atMost(SOON).until(() -> sample.metric("outbox_oldest_pending_age_seconds") > 0);
        int before = landscape.a.log().length();
        landscape.database.stop();
        landscape.a.set("outbox.dispatcher.enabled", "true");
        landscape.b.set("outbox.dispatcher.enabled", "true");
        assertThat(sample.post("/api/orders", SampleClient.order("Ada", "Tea", "1"))
                        .statusCode())
                .isEqualTo(500);
        awaitLog(landscape.a, before, "OBX-0401: destination 'default'");
        assertHealth("ready", "outbox-store", "DOWN");
        assertTimerCalls(sample);
        assertHealth("live", "outbox-dispatcher", "UP");
        // A scrape does not ask the database either, and what cannot be sent grows old.
        double age = sample.metric("outbox_oldest_pending_age_seconds");
        await().atMost(SOON).until(() -> sample.metric("outbox_oldest_pending_age_seconds") > age);

        landscape.database.start(Landscape.PREPARED_TRANSACTIONS);
        long back = System.nanoTime();
        awaitDeliveries(orders);
        tell("database back: dispatch and consumer resumed after %.1f s, at an interval of 1 s", secondsSince(back));
        assertThat(landscape.attempts(orders)).containsExactly("1");
        assertHealth("ready", "outbox-store", "UP");
        assertQuietLog(before);
    }

    /** It has the connection and the message, and says nothing. */
    @Test
    void brokerThatDoesNotAnswerMakesNobodyTakeTheServerForDead() {
        landscape.broker.holdAt(Trap.Place.SEND, "outbox");
        List<String> orders;
        try {
            orders = List.of(sample.placeOrder());
            landscape.broker.awaitHeld(SOON);
            SampleClient holder = sample.metric(HELD) > 0 ? sample : landscape.sampleOfB;
            assertThat(holder.metric(HELD)).as("partitions of who waits for it").isPositive();
            assertTimerCalls(holder);
            assertHealth(holder, "live", "outbox-dispatcher", "UP");
            assertHealth(holder, "ready", "outbox-store", "UP");
            assertThat(holder.metric(HELD)).as("still").isPositive();
        } finally {
            landscape.broker.letGo();
        }
        awaitDeliveries(orders);
    }

    /** It does each second, whatever a lane waits for: the time since then falls again and again. */
    private static void assertTimerCalls(SampleClient node) {
        AtomicReference<Double> last = new AtomicReference<>(0.0);
        AtomicInteger calls = new AtomicInteger();
        await("the timer calls").atMost(SOON).until(() -> {
            double age = node.metric("outbox_last_tick_age_seconds");
            return age < last.getAndSet(age) && calls.incrementAndGet() >= 3;
        });
    }

    private static void assertHealth(String kind, String check, String status) {
        assertHealth(sample, kind, check, status);
    }

    /** The answer comes at once, whatever it says: an orchestrator does not wait. */
    private static void assertHealth(SampleClient node, String kind, String check, String status) {
        await(check + " " + status).atMost(SOON).untilAsserted(() -> assertThat(
                        Http.json(node.get("/health/" + kind)).asJsonObject().getJsonArray("checks").stream()
                                .map(JsonValue::asJsonObject)
                                .filter(answer -> answer.getString("name").equals(check))
                                .map(answer -> answer.getString("status")))
                .containsExactly(status));
    }

    private static void awaitDeliveries(List<String> orders) {
        for (String order : orders) {
            await("delivery of " + order).atMost(SOON).until(() -> !sample.deliveries(order)
                    .isEmpty());
            assertThat(sample.deliveries(order)).hasSize(1);
        }
    }

    private static double failures() {
        Double value = sample.metric(FAILURES, "destination=\"default\"");
        return value == null ? 0 : value;
    }

    /** A line for the beginning and one for the end, and one a minute in between. */
    private static void assertQuietLog(int from) {
        awaitLog(landscape.a, from, "OBX-0402: destination 'default'");
        List<String> lines = landscape
                .a
                .log()
                .substring(from)
                .lines()
                .filter(line -> line.contains("OBX-04") && line.contains("'default'"))
                .filter(line -> !line.contains("Caused by") && !line.contains("CNTR"))
                .toList();
        assertThat(lines).hasSizeLessThan(8);
        // The container hears of a lane's first failure in a row and retries once; of a second one it would wait 300 s.
        assertThat(landscape
                        .a
                        .log()
                        .substring(from)
                        .lines()
                        .filter(line -> line.contains("CNTR0020E") && line.contains("DispatchTimer")))
                .as("failures that reached the container, of two lanes")
                .hasSizeLessThanOrEqualTo(2);
    }
}
