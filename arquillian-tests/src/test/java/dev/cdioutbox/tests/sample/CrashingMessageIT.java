package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A message that crashes its server at each send is abandoned after three crashes alone, and the others are delivered.
 */
@Tag("full")
class CrashingMessageIT {
    private static final int ORDERS = 20;

    @Test
    void messageThatCrashesItsServerIsAbandonedAfterThreeCrashesAloneAndTheOthersFlow() {
        WebArchive war = ShrinkWrap.createFromZipFile(WebArchive.class, new File(System.getProperty("sample.war")))
                .addClass(KillingPublisher.class)
                .addClass(KillingPublisher.class.getName() + "$1");
        try (LibertyServer server = LibertyServer.sample("crashing-message")
                .running(war, "/api/orders")
                .set("outbox.dispatcher.enabled", "false")
                .start()) {
            SampleClient sample = new SampleClient(server::url);
            List<String> orders = new ArrayList<>();
            String crashingMessage = null;
            for (int order = 0; order < ORDERS; order++) {
                orders.add(sample.placeOrder());
                crashingMessage = order == ORDERS / 2 ? placeCrashingMessage(sample) : crashingMessage;
            }
            server.set("outbox.dispatcher.enabled", "true");
            server.awaitDeath();
            for (int alone = 0; alone < 3; alone++) {
                server.startUntilItDies();
            }
            server.start();

            for (String order : orders) {
                await("delivery of order " + order).atMost(LONG).until(() -> !sample.deliveries(order)
                        .isEmpty());
            }
            assertThat(sample.messages(crashingMessage)).singleElement().satisfies(message -> {
                assertThat(message.getString("status")).isEqualTo("ABANDONED");
                assertThat(message.getString("lastError")).startsWith("OBX-0416");
            });
            assertThat(sample.deliveries(crashingMessage)).isEmpty();
            orders.add(sample.placeOrder());
            await().atMost(LONG)
                    .until(() -> !sample.deliveries(orders.get(ORDERS)).isEmpty());
            assertThat(sample.deliveries())
                    .extracting((JsonObject delivery) -> delivery.getString("orderId"))
                    .containsExactlyInAnyOrderElementsOf(orders);
            assertThat(server.log()).doesNotContain("OBX-0509").contains("OBX-0415", "OBX-0405");
        }
    }

    private static String placeCrashingMessage(SampleClient sample) {
        return Http.json(sample.post("/api/orders", SampleClient.order(KillingPublisher.VICTIM, "Tea", "1")))
                .asJsonObject()
                .getString("id");
    }
}
