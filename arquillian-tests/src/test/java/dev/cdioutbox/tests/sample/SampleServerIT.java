package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The sample as its users start it, on a server that is configured while it runs, stopped, and killed. */
class SampleServerIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static LibertyServer server;
    private static SampleClient sample;

    @BeforeAll
    static void start() {
        server = LibertyServer.sample("sample").start();
        sample = new SampleClient(server::url);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** A test that failed must not leave its settings to the next. */
    @AfterEach
    void restoreSettings() {
        server.set("outbox.dispatcher.batch-size", "500");
        server.set("outbox.dispatcher.interval", "PT5S");
        server.set("outbox.dispatcher.enabled", "true");
    }

    @Test
    void dispatcherIsSwitchedOffAndOnInServerXml() {
        switchDispatcher("false");
        String order = sample.placeOrder();
        await().during(Duration.ofSeconds(3)).atMost(SOON).until(() -> sample.deliveries(order)
                .isEmpty());
        assertThat(statuses(order)).containsExactly("PENDING");
        await().atMost(SOON).until(() -> sample.metric("outbox_messages", "pending") == 1.0);
        await().atMost(SOON).until(() -> sample.metric("outbox_oldest_pending_age_seconds") > 1.0);

        switchDispatcher("true");
        awaitDelivery(order);
        await().atMost(SOON).until(() -> sample.metric("outbox_messages", "pending") == 0.0);
    }

    @Test
    void intervalIsChangedInServerXml() {
        change("outbox.dispatcher.interval", "PT1H", "outbox.dispatcher.interval is now PT1H");
        // What waits while the dispatcher is off has nobody to wake it afterwards: only the timer can find it.
        switchDispatcher("false");
        String order = sample.placeOrder();
        switchDispatcher("true");
        await().during(Duration.ofSeconds(3)).atMost(SOON).until(() -> sample.deliveries(order)
                .isEmpty());
        change("outbox.dispatcher.interval", "PT1S", "outbox.dispatcher.interval is now PT1S");
        awaitDelivery(order);
    }

    @Test
    void wrongValueInServerXmlChangesNothing() {
        change("outbox.dispatcher.batch-size", "many", "OBX-0205");
        assertThat(server.log()).contains("outbox.dispatcher.batch-size is 'many'; allowed is a whole number from 1");
        awaitDelivery(sample.placeOrder());
    }

    @Test
    void whatWasPendingIsDeliveredAfterARestart() {
        switchDispatcher("false");
        String order = sample.placeOrder();
        server.stop();
        server.set("outbox.dispatcher.enabled", "true");
        server.start();
        awaitDelivery(order);
    }

    @Test
    void metricsAreThoseOfTheNewApplicationAfterARedeployment() {
        awaitDelivery(sample.placeOrder());
        server.undeploy();
        await().atMost(SOON).until(() -> !server.answers());
        server.deploy();
        await().atMost(SOON).until(server::answers);

        Double captured = sample.metric("outbox_captured_total", "type=\"OrderPlaced\"");
        awaitDelivery(sample.placeOrder());
        await().atMost(SOON)
                .until(() -> sample.metric("outbox_captured_total", "type=\"OrderPlaced\"")
                        == (captured == null ? 0 : captured) + 1);
        // A gauge of the application before would only ever grow: nobody tells it of ticks any more.
        AtomicReference<Double> last = new AtomicReference<>(0.0);
        await().atMost(SOON).until(() -> {
            double age = sample.metric("outbox_last_tick_age_seconds");
            return age < last.getAndSet(age);
        });
        assertThat(new Exposed(sample.get("/metrics?scope=application").body()).series())
                .doesNotHaveDuplicates();
    }

    @Test
    void everyAcknowledgedOrderIsDeliveredOnceThoughTheServerIsKilled() throws Exception {
        for (int round = 1; round <= Integer.getInteger("crash.rounds"); round++) {
            try (OrderStream orders = new OrderStream(sample)) {
                // Far enough that some are stored, some sent and some delivered when the process dies; and elsewhere
                // within a batch in each round.
                await().atMost(SOON).until(orders::acknowledged, hasSizeAbove(20 + 7 * round));
                server.kill();
                orders.awaitEnd();
                server.start();
                awaitDeliveries(orders.acknowledged());
            }
        }
        assertNoGhosts();
    }

    /** Every shipment belongs to an order that was committed. */
    private static void assertNoGhosts() {
        for (JsonObject shipment : sample.deliveries()) {
            assertThat(sample.get("/api/orders/" + shipment.getString("orderId"))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static void switchDispatcher(String enabled) {
        change("outbox.dispatcher.enabled", enabled, "outbox.dispatcher.enabled is now " + enabled);
    }

    /** Changes server.xml and waits until the running server says that it took notice. */
    private static void change(String variable, String value, String notice) {
        int before = server.log().length();
        server.set(variable, value);
        await(notice).atMost(SOON).until(() -> server.log().indexOf(notice, before) >= 0);
    }

    private static Predicate<Collection<?>> hasSizeAbove(int size) {
        return collection -> collection.size() > size;
    }

    private static void awaitDelivery(String order) {
        awaitDeliveries(List.of(order));
    }

    /** Each is delivered, and then each was delivered once. */
    private static void awaitDeliveries(List<String> orders) {
        for (String order : orders) {
            await("delivery of order " + order)
                    .atMost(SOON)
                    .pollDelay(Duration.ZERO)
                    .until(() -> !sample.deliveries(order).isEmpty()
                            && statuses(order).equals(List.of("PUBLISHED")));
        }
        for (String order : orders) {
            assertThat(sample.deliveries(order)).as("deliveries of %s", order).hasSize(1);
        }
    }

    private static List<String> statuses(String order) {
        return sample.messages(order).stream()
                .map((JsonObject message) -> message.getString("status"))
                .toList();
    }
}
