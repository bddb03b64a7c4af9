package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Test;

/** The baseline platform. */
class JakartaEe10IT {

    @Test
    void orderReachesTheConsumerOnJakartaEe10() {
        try (LibertyServer server = LibertyServer.sample("ee10").onJakartaEe10().start()) {
            SampleClient sample = new SampleClient(server::url);
            String order = sample.placeOrder();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> sample.deliveries(order).size() == 1);
            assertThat(server.log()).contains("jakartaee-10.0", "microProfile-7.0", "OBX-0404");
            assertThat(sample.metric("outbox_captured_total", "OrderPlaced")).isEqualTo(1.0);
            assertThat(sample.get("/health").body()).contains("outbox-dispatcher");
        }
    }
}
