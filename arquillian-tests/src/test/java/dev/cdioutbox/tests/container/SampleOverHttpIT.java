package dev.cdioutbox.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.Exposed;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.SampleClient;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.importer.ZipImporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The sample works over HTTP on the managed server, and exposes all that the monitoring files query. */
@ExtendWith(ArquillianExtension.class)
class SampleOverHttpIT {
    private static final Duration SOON = Duration.ofMinutes(4);

    @ArquillianResource
    private URL root;

    private SampleClient sample;

    @Deployment(testable = false)
    static WebArchive sample() {
        return ShrinkWrap.create(ZipImporter.class, "sample.war")
                .importFrom(new File(System.getProperty("sample.war")))
                .as(WebArchive.class)
                .addAsResource(
                        new StringAsset("outbox.dead-letters.exceptions.jndi=jms/exceptions"),
                        "META-INF/microprofile-config.properties");
    }

    @BeforeEach
    void client() {
        // Metrics and health have paths of the server, outside the application's context root.
        sample = new SampleClient(path -> path.startsWith("/metrics") || path.startsWith("/health")
                ? URI.create(root.toString()).resolve(path)
                : URI.create(root.toString()).resolve(path.substring(1)));
    }

    @Test
    void orderReachesTheConsumer() {
        String order = sample.placeOrder();

        await().atMost(SOON).until(() -> !sample.deliveries(order).isEmpty());
        JsonObject delivery = sample.deliveries(order).get(0);
        await().atMost(SOON).until(() -> "PUBLISHED".equals(message(order).getString("status")));
        JsonObject message = message(order);

        assertThat(delivery.getString("messageId")).isEqualTo(message.getString("id"));
        assertThat(delivery.getInt("sequence")).isEqualTo(message.getInt("sequence"));
        assertThat(delivery.getString("eventType")).isEqualTo("OrderPlaced");
        assertThat(delivery.getString("payload")).contains(order, "\"customer\":\"Ada\"", "\"item\":\"Tea\"");
        assertThat(message.getInt("attempts")).isEqualTo(1);
        assertThat(message.getString("key")).isEqualTo(order);
    }

    @Test
    void rolledBackOrderSendsNothing() {
        HttpResponse<String> answer = sample.post("/api/orders?fail=after-fire", SampleClient.order("Ada", "Tea", "1"));
        assertThat(answer.statusCode()).isEqualTo(500);
        String order = Http.json(answer).asJsonObject().getString("orderId");

        // The next order shows that the worker has run; a stored event of the rolled-back order would have come first.
        String next = sample.placeOrder();
        await().atMost(SOON).until(() -> !sample.deliveries(next).isEmpty());
        assertThat(sample.deliveries(order)).isEmpty();
        assertThat(sample.messages(order)).isEmpty();
        assertThat(sample.get("/api/orders/" + order).statusCode()).isEqualTo(404);
    }

    @Test
    void eventsOfOneOrderArriveInOrder() {
        String order = sample.placeOrder();
        assertThat(sample.post("/api/orders/" + order + "/cancel", "").statusCode())
                .isEqualTo(200);

        await().atMost(SOON).until(() -> sample.deliveries(order).size() == 2);
        assertThat(sample.deliveries(order).stream()
                        .sorted((a, b) -> a.getString("receivedAt").compareTo(b.getString("receivedAt")))
                        .map(delivery -> delivery.getString("eventType")))
                .containsExactly("OrderPlaced", "OrderCancelled");
    }

    @Test
    void eventsThatTheOrderCollectedAreSeenThroughJakartaPersistence() {
        String order = sample.placeOrder();
        assertThat(sample.post("/api/orders/" + order + "/cancel", "").statusCode())
                .isEqualTo(200);

        JsonArray events =
                Http.json(sample.get("/api/orders/" + order + "/events")).asJsonArray();
        assertThat(events.getValuesAs(JsonObject.class))
                .extracting(event -> event.getString("eventType"))
                .containsExactly("OrderPlaced", "OrderCancelled");

        // A second cancellation does not change the order, so it must not store an event.
        assertThat(sample.post("/api/orders/" + order + "/cancel", "").statusCode())
                .isEqualTo(409);
        assertThat(sample.messages(order)).hasSize(2);
    }

    @Test
    void invalidOrderIsRefusedByItsField() {
        HttpResponse<String> answer = sample.post("/api/orders", SampleClient.order("", "Tea", "0"));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(Http.json(answer).asJsonObject().getJsonArray("violations").getValuesAs(JsonObject.class))
                .extracting(violation -> violation.getString("field"))
                .containsExactlyInAnyOrder("customer", "quantity");
    }

    @Test
    void metricsMoveWithTheOrders() {
        String first = sample.placeOrder();
        await().atMost(SOON).until(() -> !sample.deliveries(first).isEmpty());
        await().atMost(SOON).until(() -> sample.metric("outbox_published_total", "destination=\"default\"") != null);
        double captured = sample.metric("outbox_captured_total", "type=\"OrderPlaced\"");
        double published = sample.metric("outbox_published_total", "destination=\"default\"");

        List<String> orders = List.of(sample.placeOrder(), sample.placeOrder(), sample.placeOrder());
        await().atMost(SOON)
                .until(() -> orders.stream().noneMatch(o -> sample.deliveries(o).isEmpty()));

        await().atMost(SOON)
                .until(() -> sample.metric("outbox_published_total", "destination=\"default\"") >= published + 3);
        assertThat(sample.metric("outbox_captured_total", "type=\"OrderPlaced\""))
                .isEqualTo(captured + 3);
        assertThat(sample.metric("outbox_publish_failures_total", "destination=\"default\""))
                .as("there from the start")
                .isZero();
        assertThat(sample.metric("outbox_messages", "abandoned")).isZero();
        assertThat(sample.metric("outbox_last_tick_age_seconds")).isBetween(0.0, 60.0);
    }

    @Test
    void everythingThatAlertsAndTheDashboardAskForIsExposed() throws IOException {
        Path monitoring = Path.of(System.getProperty("test.server-config"), "cdi-outbox/monitoring");
        String scraped = Monitoring.scrapedPath(monitoring.resolve("prometheus-scrape.yml"));
        Exposed exposed = new Exposed(sample.get(scraped).body());
        List<String> queries = new ArrayList<>(Monitoring.alerts(monitoring.resolve("prometheus-rules.yml")));
        assertThat(queries).hasSizeGreaterThan(10);
        queries.addAll(Monitoring.panels(monitoring.resolve("grafana-dashboard.json")));
        assertThat(queries).hasSizeGreaterThan(25);
        // Only with the transport cdc: ChangeDataCaptureIT sees them.
        queries.removeIf(query -> query.contains("outbox_cdc_"));

        for (String query : queries) {
            assertThat(Monitoring.names(query)).as(query).isNotEmpty().allSatisfy(name -> assertThat(exposed.names())
                    .contains(name));
            assertThat(Monitoring.selectors(query)).as(query).allSatisfy((selector, name) -> assertThat(
                            exposed.series())
                    .as(selector)
                    .anyMatch(series -> series.startsWith(name + "{") && series.contains(selector)));
            assertThat(Monitoring.groupedMetrics(query)).as(query).allSatisfy((name, labels) -> assertThat(labels)
                    .allSatisfy(label -> assertThat(exposed.series())
                            .as(name + " by " + label)
                            .filteredOn(series -> series.startsWith(name + "{"))
                            .isNotEmpty()
                            .allMatch(series -> Exposed.GIVEN.contains(label) || series.contains(label + "=\""))));
            assertThat(Monitoring.grouped(query)).as(query).allSatisfy(label -> assertThat(exposed.labels())
                    .contains(label));
        }
    }

    @Test
    void healthShowsTheDispatcherTheStoreAndTheBacklog() {
        HttpResponse<String> live = sample.get("/health/live");
        assertThat(live.statusCode()).isEqualTo(200);
        assertThat(live.body()).contains("\"name\":\"outbox-dispatcher\"", "\"status\":\"UP\"");
        HttpResponse<String> ready = sample.get("/health/ready");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.body()).contains("\"name\":\"outbox-store\"", "\"name\":\"outbox-backlog\"");
    }

    private JsonObject message(String order) {
        return sample.messages(order).get(0);
    }
}
