package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.StringReader;
import java.time.Duration;
import java.util.List;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;

import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The outbox works without the optional features of Liberty, and names a feature that is needed and missing. */
@Tag("full")
class OptionalFeaturesIT {

    @Test
    void orderReachesTheConsumerWithoutMetricsHealthAndValidation() {
        try (LibertyServer server = LibertyServer.sample("plain")
                .without("mpMetrics-5.1")
                .without("mpHealth")
                .withoutSecurity()
                .withoutValidation()
                .tellingAllInJson()
                .start()) {
            SampleClient sample = new SampleClient(server::url);
            String order = sample.placeOrder();
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> sample.deliveries(order).size() == 1);
            assertThat(sample.get("/metrics").statusCode()).isEqualTo(404);
            assertThat(sample.get("/health").statusCode()).isEqualTo(404);

            String id = sample.messages(order).get(0).getString("id");
            assertLogged(server, "created", id);
            assertLogged(server, "published", id);
            assertConsoleRefusesEveryUser(sample, server);
        }
    }

    /** The fields of a log entry must be fields of Liberty's JSON logging too. */
    private static void assertLogged(LibertyServer server, String action, String id) {
        String word = "\"ext_outbox_action\":\"" + action + "\"";
        await().atMost(Duration.ofMinutes(4)).until(() -> server.log().contains(word));
        assertThat(server.log().lines().filter(line -> line.contains(word)))
                .singleElement()
                .satisfies(line -> {
                    try (JsonReader reader = Json.createReader(new StringReader(line))) {
                        JsonObject record = reader.readObject();
                        assertThat(record.getString("ext_outbox_event_id")).isEqualTo(id);
                        assertThat(record.getString("ext_event_type")).isEqualTo("OrderPlaced");
                        assertThat(record.getString("module")).isEqualTo("dev.cdioutbox.message");
                        assertThat(record.getString("message")).contains("outbox_action=" + action);
                    }
                });
    }

    /** Without the container's check of roles, the console must refuse each request itself. */
    private static void assertConsoleRefusesEveryUser(SampleClient sample, LibertyServer server) {
        for (String path :
                List.of("/outbox/", "/outbox/console.js", "/outbox/api/v1/state", "/outbox/api/v1/messages")) {
            assertThat(sample.get(path).statusCode()).as(path).isEqualTo(403);
            assertThat(sample.get(path).body()).doesNotContain("pending");
        }
        assertThat(sample.post("/outbox/api/v1/changes/retry", "").statusCode()).isEqualTo(403);
        assertThat(server.log()).containsOnlyOnce("OBX-0614");
    }

    @Test
    void deploymentFailsWhereNothingCouldSerialize() {
        try (LibertyServer server = LibertyServer.sample("no-jsonb").without("jsonb")) {
            server.startUntilLogged("CWWKZ0002E");

            assertThat(server.log())
                    .contains("OBX-0206: nothing can serialize events")
                    .contains("Enable the feature jsonb in server.xml, or provide a bean of the type"
                            + " dev.cdioutbox.spi.OutboxSerializer");
        }
    }

    /** Liberty's own web container runs for mpHealth, but the application does not see the classes of servlets. */
    @Test
    void featuresThatAnApplicationNeedsToStartAreNamed() {
        try (LibertyServer server = LibertyServer.sample("no-servlet")
                .withoutItsOwnFeatures()
                .without("servlet")
                .without("jdbc")
                .running(Deployments.bare("no-servlet.war"), "/")) {
            server.startUntilLogged("CWWKZ0002E");

            assertThat(server.log())
                    .contains("OBX-0222: the feature servlet is missing")
                    .contains("OBX-0203: DataSource was not found under the JNDI name java:comp/DefaultDataSource")
                    .contains("enable its feature (for a DataSource: jdbc)");
        }
    }

    @Test
    void featuresThatMessagesNeedAreNamed() {
        try (LibertyServer server =
                LibertyServer.sample("no-mdb").without("mdb").without("messagingClient")) {
            server.startUntilLogged("OBX-0608");

            assertThat(server.log())
                    .contains("OBX-0516: the feature mdb is missing, so the message-driven bean(s)"
                            + " dev.cdioutbox.sample.ShippingBean receive no message")
                    .containsPattern("(?s)OBX-0608.*\n  OBX-0516")
                    .contains("OBX-0401")
                    .contains("OBX-0501: destination 'default' has no JMS destination under the JNDI name jms/outbox")
                    .contains("with the feature of its broker (messagingClient");
        }
    }
}
