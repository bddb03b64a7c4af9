package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Test;

/** A server without the features that the outbox uses where they are. */
class OptionalFeaturesIT {

    @Test
    void orderReachesTheConsumerWithoutMetricsHealthAndValidation() {
        try (LibertyServer server = LibertyServer.sample("plain")
                .without("mpMetrics-5.1")
                .without("mpHealth")
                .withoutSecurity()
                .withoutValidation()
                .start()) {
            SampleClient sample = new SampleClient(server::url);
            String order = sample.placeOrder();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> sample.deliveries(order).size() == 1);
            assertThat(sample.get("/metrics").statusCode()).isEqualTo(404);
            assertThat(sample.get("/health").statusCode()).isEqualTo(404);
            assertNobodyIsLetIntoTheConsole(sample, server);
        }
    }

    /** What no container guards, the console guards itself. */
    private static void assertNobodyIsLetIntoTheConsole(SampleClient sample, LibertyServer server) {
        for (String path : List.of("/outbox/", "/outbox/console.js", "/outbox/api/state", "/outbox/api/messages")) {
            assertThat(sample.get(path).statusCode()).as(path).isEqualTo(403);
            assertThat(sample.get(path).body()).doesNotContain("pending");
        }
        assertThat(sample.post("/outbox/api/retry", "{}").statusCode()).isEqualTo(403);
        assertThat(server.log()).containsOnlyOnce("OBX-0614");
    }

    @Test
    void deploymentFailsWhereNothingCouldSerialize() {
        try (LibertyServer server = LibertyServer.sample("no-jsonb").without("jsonb")) {
            server.startUntilLogged("CWWKZ0002E");

            assertThat(server.log())
                    .contains("OBX-0206: there is nothing that could serialize events")
                    .contains("Enable the feature jsonb in server.xml, or make a bean of the type"
                            + " dev.cdioutbox.spi.OutboxSerializer");
        }
    }
}
