package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;

import dev.cdioutbox.tests.console.ConsoleClient;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.OtlpCollector;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Test;

/**
 * The outbox works on the baseline platform, Jakarta EE 10. Its mpTelemetry-2.0 treats OpenTelemetry's API as
 * third-party.
 */
class JakartaEe10IT {
    private static final String CAPTURED =
            "cdioutbox_captured_total{cdioutbox_application=\"sample\",cdioutbox_event_type=\"OrderPlaced\"}";

    @Test
    void orderReachesTheConsumerAndTelemetryThatTheApplicationCannotSeeIsWarnedOf() throws SQLException {
        try (OtlpCollector collector = new OtlpCollector();
                LibertyServer server = LibertyServer.sample("ee10")
                        .traced()
                        .set("otel.metrics.exporter", "otlp")
                        .set("otel.exporter.otlp.protocol", "http/protobuf")
                        .set("otel.exporter.otlp.endpoint", collector.url())
                        .set("otel.metric.export.interval", "500")
                        .onJakartaEe10()
                        .start()) {
            SampleClient sample = new SampleClient(server::url);
            String untraced = sample.placeOrder();
            await().atMost(LONG).until(() -> sample.deliveries(untraced).size() == 1);
            // The first answer may be 500: Liberty's servlet asks its new session, and finds it invalidated.
            await().atMost(LONG).untilAsserted(() -> assertThat(sample.metric("outbox_captured_total", "OrderPlaced"))
                    .isEqualTo(1.0));
            assertThat(sample.get("/health").body()).contains("outbox-dispatcher");
            assertThat(ConsoleClient.admin(server)
                            .get("/outbox/api/v1/diagnosis")
                            .body())
                    .contains("OBX-0210");
            assertThat(server.log().split("OBX-0608")[0])
                    .contains(
                            "jakartaee-10.0",
                            "microProfile-7.0",
                            "OBX-0420: destination 'default': exactly-once (a test transaction of both")
                    .containsOnlyOnce("OBX-0210")
                    // No feature is missing here.
                    .doesNotContain("OBX-0222", "OBX-0516")
                    .contains("Give it <classloader apiTypeVisibility=\"+third-party\"/> in server.xml");

            assertThat(collector.metrics()).isEmpty();
            int before = server.log().length();
            server.showingThirdPartyApis();
            await().atMost(LONG).until(() -> server.log().indexOf("CWWKZ0003I", before) > 0);
            String traced = sample.placeOrder();
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(collector.metrics()).containsEntry(CAPTURED, 1.0));
            server.stop();

            String stopped = "CWWKZ0009I";
            assertThat(server.log().substring(server.log().indexOf(stopped, before)))
                    .doesNotContain("OBX-0210");
            assertThat(StoredTrace.of(server, untraced)).isEqualTo("null null");
            StoredTrace.assertTraced(server, traced);
        }
    }
}
