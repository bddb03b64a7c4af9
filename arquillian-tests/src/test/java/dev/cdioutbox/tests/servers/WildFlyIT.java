package dev.cdioutbox.tests.servers;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.JakartaServer;
import dev.cdioutbox.tests.server.OtlpCollector;
import dev.cdioutbox.tests.server.WildFlyServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class WildFlyIT extends ServerContract {
    private static final String CAPTURED =
            "cdioutbox_captured_total{cdioutbox_application=\"sample\",cdioutbox_event_type=\"OrderPlaced\"}";
    private static final String SENT = "messaging_client_sent_messages_total{cdioutbox_application=\"sample\","
            + "cdioutbox_destination_name=\"default\",messaging_operation_name=\"send\",messaging_system=\"jms\"}";
    private static final String ABANDONED =
            "cdioutbox_messages{cdioutbox_application=\"sample\",cdioutbox_message_state=\"abandoned\"}";

    private OtlpCollector collector;
    private WildFlyServer server;

    WildFlyIT() {
        super("wildfly.md", "embed-server", "ActiveMQ");
    }

    @Override
    JakartaServer create() {
        collector = new OtlpCollector();
        server = new WildFlyServer(Path.of(System.getProperty("wildfly.home")));
        server.with("OTEL_SDK_DISABLED", false);
        server.with("OTEL_LOGS_EXPORTER", "none");
        server.with("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
        server.with("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
        server.with("OTEL_METRIC_EXPORT_INTERVAL", 500);
        server.with("SHOP_DB_PASSWORD", "secret");
        return server;
    }

    @AfterAll
    void stopCollector() {
        if (collector != null) {
            collector.close();
        }
    }

    @Test
    void healthChecksAnswerAtTheManagementPort() {
        assertThat(Http.get(server.management("/health")).body())
                .contains("outbox-dispatcher", "outbox-store", "outbox-delivery", "outbox-backlog");
    }

    @Test
    void metricsAreExportedToOpenTelemetry() {
        String order = sample().placeOrder();
        await().atMost(LONG).until(() -> sample().deliveries(order).size() == 1);

        await().atMost(LONG).untilAsserted(() -> assertThat(collector.metrics())
                .hasEntrySatisfying(CAPTURED, captured -> assertThat(captured).isPositive())
                .hasEntrySatisfying(SENT, sent -> assertThat(sent).isPositive())
                .containsEntry(ABANDONED, 0.0));
    }
}
