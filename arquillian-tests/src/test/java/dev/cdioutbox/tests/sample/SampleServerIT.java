package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.Exposed;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The sample keeps its promises on a server that is configured while it runs, stopped and killed. */
@ExtendWith(SampleServer.Shared.class)
class SampleServerIT {
    private static final Pattern NEW_VERSION =
            Pattern.compile("archive file at the \\S+sample-2\\.0\\.war.*CWWKZ000[13]I", Pattern.DOTALL);

    private final LibertyServer server;
    private final SampleClient sample;

    SampleServerIT(SampleServer shared) {
        server = shared.server();
        sample = shared.sample();
    }

    /** Restores the settings after a test that failed, so that the next test can pass. */
    @AfterEach
    void restoreSettings() {
        server.set("outbox.dispatcher.batch-size", "500");
        server.set("outbox.dispatcher.interval", "PT5S");
        server.set("outbox.dispatcher.enabled", "true");
        server.set("outbox.dispatcher.shadow-destination", "");
        server.unset("outbox.dispatcher.intervall");
    }

    /** The same tests also run on another Java than the build: their servers must run on it too. */
    @Tag("decisive")
    @Test
    void serverRunsOnTheJavaThatTheTestsAreMeantFor() {
        assertThat(server.log()).containsPattern("VM, version " + System.getProperty("test.java") + "\\b");
    }

    @Test
    void dispatcherIsSwitchedOffAndOnInServerXml() {
        switchDispatcher("false");
        String order = sample.placeOrder();
        assertThat(sample.metric("outbox_dispatcher_enabled")).isZero();
        await().atMost(LONG).until(() -> sample.metric("outbox_messages", "pending") == 1.0);
        assertThat(statuses(order)).containsExactly("PENDING");
        assertThat(sample.deliveries(order)).isEmpty();

        switchDispatcher("true");
        awaitDelivery(order);
        assertThat(sample.metric("outbox_dispatcher_enabled")).isOne();
    }

    @Test
    void whatIsShadowedIsCountedAndMarkedAndNotSent() {
        assertThat(sample.metric("outbox_shadowed_total", "destination=\"default\""))
                .isZero();
        change("outbox.dispatcher.shadow-destination", "discard", "OBX-0431: destination 'default'");
        String shadowed = sample.placeOrder();
        await().atMost(LONG).until(() -> statuses(shadowed).equals(List.of("PUBLISHED")));
        await().atMost(LONG).until(() -> sample.metric("outbox_shadowed_total", "destination=\"default\"") == 1.0);
        assertThat(sample.metric("outbox_shadowing")).isOne();

        change("outbox.dispatcher.shadow-destination", "", "OBX-0432: destination 'default'");
        // The next order is delivered; a sent message of the shadowed order would have come before it.
        awaitDelivery(sample.placeOrder());
        assertThat(sample.deliveries(shadowed)).isEmpty();
        assertThat(sample.metric("outbox_shadowing")).isZero();
    }

    @Tag("full")
    @Test
    void intervalIsChangedInServerXml() {
        change("outbox.dispatcher.interval", "PT1H", "dispatcher.interval is now PT1H");
        // No wake-up follows for a message that was stored while the dispatcher was off. Only the timer can find this
        // message.
        switchDispatcher("false");
        String order = sample.placeOrder();
        switchDispatcher("true");
        await().during(Duration.ofSeconds(3)).atMost(LONG).until(() -> sample.deliveries(order)
                .isEmpty());
        change("outbox.dispatcher.interval", "PT1S", "dispatcher.interval is now PT1S");
        awaitDelivery(order);
    }

    @Test
    void wrongValueInServerXmlChangesNothing() {
        change("outbox.dispatcher.batch-size", "many", "OBX-0205");
        assertThat(server.log()).contains("outbox.dispatcher.batch-size is 'many'; allowed is a whole number from 1");
        awaitDelivery(sample.placeOrder());
    }

    @Test
    void misspeltKeyInServerXmlIsToldWithoutARestart() {
        change(
                "outbox.dispatcher.intervall",
                "PT1S",
                "OBX-0202: configuration key(s) that have no effect: outbox.dispatcher.intervall");
    }

    @Tag("full")
    @Test
    void newVersionUnderAnotherNameDeliversWhatWasPendingAndItsMetricsAreItsOwn() {
        awaitDelivery(sample.placeOrder());
        switchDispatcher("false");
        String pending = sample.placeOrder();
        int before = server.log().length();
        server.rename("sample-2.0.war");
        await().atMost(LONG)
                .until(() -> NEW_VERSION.matcher(server.log().substring(before)).find());
        await().atMost(LONG).until(server::answers);
        assertThat(statuses(pending)).containsExactly("PENDING");
        switchDispatcher("true");
        awaitDelivery(pending);

        Double captured = sample.metric("outbox_captured_total", "type=\"OrderPlaced\"");
        awaitDelivery(sample.placeOrder());
        await().atMost(LONG)
                .until(() -> sample.metric("outbox_captured_total", "type=\"OrderPlaced\"")
                        == (captured == null ? 0 : captured) + 1);
        // The gauge of the stopped application would only grow, since its timer does not call any more.
        AtomicReference<Double> last = new AtomicReference<>(0.0);
        await().atMost(LONG).until(() -> {
            double age = sample.metric("outbox_last_tick_age_seconds");
            return age < last.getAndSet(age);
        });
        assertThat(new Exposed(sample.get("/metrics?scope=application").body()).series())
                .doesNotHaveDuplicates();

        // Liberty's partner log names the old activation specification until an orderly stop. A server that is killed
        // sooner waits for this specification at recovery.
        server.stop();
        server.start();
        awaitDelivery(sample.placeOrder());
    }

    @Tag("decisive")
    @Test
    void everyAcknowledgedOrderIsDeliveredOnceThoughTheServerIsKilled() throws Exception {
        for (int round = 1; round <= Math.max(1, Integer.getInteger("crash.rounds") / 3); round++) {
            try (OrderStream orders = new OrderStream(sample)) {
                // When the process dies, some orders are stored, some sent and some delivered. Each round kills it at
                // another place of a batch.
                await().atMost(LONG).until(orders::acknowledged, hasSizeAbove(20 + 7 * round));
                server.kill();
                orders.awaitEnd();
                server.start();
                awaitDeliveries(orders.acknowledged());
            }
        }
        assertNoGhosts();
    }

    /** Asserts that each shipment belongs to a committed order. */
    private void assertNoGhosts() {
        for (JsonObject shipment : sample.deliveries()) {
            assertThat(sample.get("/api/orders/" + shipment.getString("orderId"))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private void switchDispatcher(String enabled) {
        change("outbox.dispatcher.enabled", enabled, "dispatcher.enabled is now " + enabled);
    }

    /** Changes server.xml and waits until the server logs the change. */
    private void change(String variable, String value, String notice) {
        int before = server.log().length();
        server.set(variable, value);
        await(notice).atMost(LONG).until(() -> server.log().indexOf(notice, before) >= 0);
    }

    private static Predicate<Collection<?>> hasSizeAbove(int size) {
        return collection -> collection.size() > size;
    }

    private void awaitDelivery(String order) {
        awaitDeliveries(List.of(order));
    }

    /** Waits until each order is delivered, and then asserts that each was delivered once. */
    private void awaitDeliveries(List<String> orders) {
        for (String order : orders) {
            await("delivery of order " + order)
                    .atMost(LONG)
                    .pollDelay(Duration.ZERO)
                    .until(() -> !sample.deliveries(order).isEmpty()
                            && statuses(order).equals(List.of("PUBLISHED")));
        }
        for (String order : orders) {
            assertThat(sample.deliveries(order)).as("deliveries of %s", order).hasSize(1);
        }
    }

    private List<String> statuses(String order) {
        return sample.messages(order).stream()
                .map((JsonObject message) -> message.getString("status"))
                .toList();
    }
}
