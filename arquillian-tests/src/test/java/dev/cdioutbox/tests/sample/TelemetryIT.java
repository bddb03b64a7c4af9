package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Test;

/** Messages belong to the trace of the request that caused them, where MicroProfile Telemetry is on. */
class TelemetryIT {
    private static final String TRACE = "00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]";

    @Test
    void messageCarriesTheTraceOfItsRequest() throws SQLException {
        try (LibertyServer server = traced("telemetry").start()) {
            SampleClient sample = new SampleClient(server::url);
            String order = sample.placeOrder();
            server.stop();

            assertThat(server.log()).doesNotContain("OBX-0210");
            assertTraced(server, order);
        }
    }

    /** OpenTelemetry's API is an API of third parties to mpTelemetry-2.0. */
    @Test
    void traceThatTheApplicationCannotSeeIsWarnedOfOnJakartaEe10() throws SQLException {
        try (LibertyServer server = traced("telemetry10").onJakartaEe10().start()) {
            SampleClient sample = new SampleClient(server::url);
            String untraced = sample.placeOrder();
            assertThat(server.log())
                    .containsOnlyOnce("OBX-0210")
                    .contains("Give it <classloader apiTypeVisibility=\"+third-party\"/> in server.xml");

            int before = server.log().length();
            server.showingThirdPartyApis();
            await().atMost(Duration.ofSeconds(60)).until(() -> server.log().indexOf("CWWKZ0003I", before) > 0);
            String traced = sample.placeOrder();
            server.stop();

            assertThat(server.log().substring(before)).doesNotContain("OBX-0210");
            assertThat(context(server, untraced)).isEqualTo("null null");
            assertTraced(server, traced);
        }
    }

    private static LibertyServer traced(String name) {
        return LibertyServer.sample(name)
                .with("mpTelemetry")
                .set("otel.sdk.disabled", "false")
                .set("otel.traces.exporter", "none")
                .set("otel.metrics.exporter", "none")
                .set("otel.logs.exporter", "none");
    }

    private static void assertTraced(LibertyServer server, String order) throws SQLException {
        String context = context(server, order);
        assertThat(context).matches("[0-9a-f]{32} \\{\"traceparent\":\"" + TRACE + "\"}");
        assertThat(context.substring(context.indexOf("00-") + 3)).startsWith(context.substring(0, 32));
    }

    /** The correlation id and the headers of an order's message. */
    private static String context(LibertyServer server, String order) throws SQLException {
        try (Connection database = server.connection();
                PreparedStatement select = database.prepareStatement(
                        "SELECT correlation_id, headers FROM outbox_message WHERE message_key = ?")) {
            select.setString(1, order);
            try (ResultSet row = select.executeQuery()) {
                assertThat(row.next()).as("a message of %s", order).isTrue();
                return row.getString(1) + " " + row.getString(2);
            }
        }
    }
}
