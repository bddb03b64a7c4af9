package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.OtlpCollector;
import dev.cdioutbox.tests.server.ReceivedSpan;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With MicroProfile Telemetry, one trace covers a request, the send of its message and the consumer's work. */
@Tag("full")
class TelemetryIT {
    private static final String BY_HAND = "4bf92f3577b34da6a3ce929d0e0e4736";

    @Test
    void oneTraceRunsFromTheRequestToTheConsumersWork() throws SQLException {
        try (OtlpCollector collector = new OtlpCollector();
                LibertyServer server = LibertyServer.sample("telemetry")
                        .traced()
                        .adding(ByHand.class, HandWork.class)
                        .set("otel.traces.exporter", "otlp")
                        .set("otel.exporter.otlp.protocol", "http/protobuf")
                        .set("otel.exporter.otlp.endpoint", collector.url())
                        .set("otel.bsp.schedule.delay", "200")
                        .start()) {
            SampleClient sample = new SampleClient(server::url);
            String order = sample.placeOrder();
            await().atMost(LONG).until(() -> sample.deliveries(order).size() == 1);
            String messageId = sample.deliveries(order).get(0).getString("messageId");
            assertThat(sample.get("/by-hand?id=x1&traceparent=00-%s-00f067aa0ba902b7-01".formatted(BY_HAND))
                            .statusCode())
                    .isEqualTo(200);
            server.stop();

            assertThat(server.log()).doesNotContain("OBX-0210");
            StoredTrace.assertTraced(server, order);
            String trace = StoredTrace.of(server, order).substring(0, 32);
            ReceivedSpan request = only(collector.of(trace), ReceivedSpan.SERVER);
            ReceivedSpan send = only(collector.of(trace), ReceivedSpan.PRODUCER);
            ReceivedSpan process = only(collector.of(trace), ReceivedSpan.CONSUMER);
            assertThat(StoredTrace.of(server, order)).contains("-" + request.spanId() + "-");
            assertThat(send.parentId()).isEqualTo(request.spanId());
            assertThat(process.parentId()).isEqualTo(send.spanId());
            assertThat(send.name()).startsWith("send ").contains("outbox");
            assertThat(process.name()).startsWith("process ").contains("outbox");
            assertThat(send.attributes())
                    .containsEntry("messaging.system", "jms")
                    .containsEntry("messaging.operation.type", "send")
                    .containsEntry("messaging.message.id", messageId)
                    .containsEntry("messaging.message.conversation_id", trace)
                    .containsEntry("cdioutbox.destination.name", "default");
            assertThat(process.attributes())
                    .containsEntry("messaging.operation.type", "process")
                    .containsEntry("messaging.message.id", messageId)
                    .containsEntry(
                            "messaging.destination.name", send.attributes().get("messaging.destination.name"));

            // A consumer that is not a message-driven bean continues its message's trace too.
            ReceivedSpan byHand = only(collector.of(BY_HAND), ReceivedSpan.CONSUMER);
            assertThat(byHand.parentId()).isEqualTo("00f067aa0ba902b7");
            assertThat(byHand.attributes()).containsEntry("messaging.message.id", "x1");
        }
    }

    private static ReceivedSpan only(List<ReceivedSpan> spans, int kind) {
        List<ReceivedSpan> ofKind =
                spans.stream().filter(span -> span.kind() == kind).toList();
        assertThat(ofKind).as("in %s", spans).hasSize(1);
        return ofKind.get(0);
    }
}
