package dev.cdioutbox.tests.wildfly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.OtlpCollector;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.WildFlyServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sample on WildFly, with its DataSource, transaction manager and messaging. The script of docs/howto/wildfly.md configures the
 * server.
 */
@Tag("full")
class WildFlyIT {
    private static final Pattern SCRIPT = Pattern.compile("(?ms)^```\\n(embed-server.*?)^```$");
    private static final Pattern REFUSED =
            Pattern.compile("OBX-0403: destination 'default'.*prepared transactions are disabled");
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final int PREPARED_TRANSACTIONS = 100;
    private static final int MANY = 100;
    private static final String CAPTURED =
            "cdioutbox_captured_total{cdioutbox_application=\"sample\",cdioutbox_event_type=\"OrderPlaced\"}";
    private static final String SENT = "messaging_client_sent_messages_total{cdioutbox_application=\"sample\","
            + "cdioutbox_destination_name=\"default\",messaging_operation_name=\"send\",messaging_system=\"jms\"}";
    private static final String ABANDONED =
            "cdioutbox_messages{cdioutbox_application=\"sample\",cdioutbox_message_state=\"abandoned\"}";
    private static final String ORDERS = "/sample/api/orders";

    private static OtlpCollector collector;
    private static PostgresServer database;
    private static WildFlyServer server;
    private static SampleClient sample;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        collector = new OtlpCollector();
        database = new PostgresServer().start(PREPARED_TRANSACTIONS);
        database.update("CREATE ROLE shop LOGIN PASSWORD 'secret'");
        database.update("CREATE DATABASE shop OWNER shop");
        Files.copy(driver(), folder.resolve("postgresql.jar"));
        server = new WildFlyServer("wildfly")
                .configure(Files.writeString(folder.resolve("shop.cli"), scriptOfThePage()))
                .with("SHOP_DB_PORT", database.port())
                .with("SHOP_DB_PASSWORD", "secret")
                .with("OTEL_SDK_DISABLED", false)
                .with("OTEL_LOGS_EXPORTER", "none")
                .with("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
                .with("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url())
                .with("OTEL_METRIC_EXPORT_INTERVAL", 500)
                // Many transactions of few messages: more moments to die in.
                .with("OUTBOX_DISPATCHER_BATCH_SIZE", 5)
                .deploy(withoutQueueOfLiberty(folder))
                .start(ORDERS);
        sample = new SampleClient(path -> server.url("/sample" + path));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (database != null) {
            database.close();
        }
        if (collector != null) {
            collector.close();
        }
    }

    private static Path driver() throws IOException {
        Path drivers = Path.of(System.getProperty("test.server-config"), "jdbc");
        try (DirectoryStream<Path> found = Files.newDirectoryStream(drivers, "postgresql-*.jar")) {
            return found.iterator().next();
        }
    }

    private static String scriptOfThePage() throws IOException {
        Path page = Path.of(System.getProperty("project.root"), "docs", "howto", "wildfly.md");
        Matcher script = SCRIPT.matcher(Files.readString(page));
        assertThat(script.find()).as("a script in %s", page).isTrue();
        return script.group(1);
    }

    /** The sample but for the resource that shows Liberty's own queue of poison messages. */
    private static Path withoutQueueOfLiberty(Path folder) throws IOException {
        Path copy = Files.copy(Path.of(System.getProperty("sample.war")), folder.resolve("sample.war"));
        try (FileSystem war = FileSystems.newFileSystem(copy)) {
            Files.delete(war.getPath("WEB-INF/classes/dev/cdioutbox/sample/PutAsideResource.class"));
        }
        return copy;
    }

    @Test
    void committedOrderReachesTheConsumerOnceAndARolledBackOneNever() {
        assertThat(sample.post("/api/orders?fail=after-fire", SampleClient.order("Grace", "Tea", "1"))
                        .statusCode())
                .isEqualTo(500);
        String order = sample.placeOrder();
        assertThat(sample.post("/api/orders/" + order + "/cancel", "").statusCode())
                .isEqualTo(200);

        await().atMost(SOON).until(() -> sample.deliveries(order).size() >= 2);
        assertThat(inShop("SELECT event_type FROM shipment WHERE order_id = '" + order + "' ORDER BY sequence_no"))
                .containsExactly("OrderPlaced", "OrderCancelled");
        assertThat(inShop("SELECT payload FROM shipment WHERE order_id = '" + order + "'"))
                .allSatisfy(payload -> assertThat(payload).contains(order));
        assertThat(inShop("SELECT message_id FROM outbox_inbox WHERE consumer = 'shipping'"))
                .containsAll(inShop("SELECT message_id FROM shipment WHERE order_id = '" + order + "'"));
        assertThat(inShop("SELECT id FROM orders WHERE customer = 'Grace'")).isEmpty();
        assertThat(inShop("SELECT message_id FROM outbox_message WHERE payload LIKE '%Grace%'"))
                .isEmpty();
        assertThat(inShop("SELECT server FROM outbox_node")).isNotEmpty().doesNotContain("unknown");
        assertThat(server.log())
                .contains("OBX-0420: destination 'default': exactly-once (a test transaction of both was committed")
                .containsPattern("OBX-0420: .* with PostgreSQL .* and ActiveMQ");
    }

    /** Only a database that is prepared refuses for this reason: so the transaction really is one of two branches. */
    @Test
    void messagesWaitWhereTheDatabaseTakesNoPartInXa() {
        int before = server.log().length();
        String order;
        database.stop();
        database.start(0);
        try {
            order = sample.placeOrder();
            await().atMost(SOON).until(() -> REFUSED.matcher(server.log()).find(before));
            assertThat(inShop("SELECT status FROM outbox_message_view WHERE message_key = '" + order + "'"))
                    .containsExactly("PENDING");
        } finally {
            database.stop();
            database.start(PREPARED_TRANSACTIONS);
        }
        await().atMost(SOON).until(() -> sample.deliveries(order).size() == 1);
    }

    @Test
    void serverThatIsKilledWhileItSendsLosesNothingAndDeliversNothingTwice() {
        pauseDispatch(1);
        List<String> orders = Stream.generate(sample::placeOrder).limit(MANY).toList();
        pauseDispatch(0);
        await().atMost(SOON)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> unpublished().size() < MANY);
        server.kill();
        assertThat(unpublished()).isNotEmpty();
        server.start(ORDERS);

        await().atMost(SOON).until(() -> unpublished().isEmpty());
        await().atMost(SOON).until(() -> inShop("SELECT order_id FROM shipment").containsAll(orders));
        assertThat(inShop("SELECT order_id FROM shipment WHERE event_type = 'OrderPlaced'"))
                .doesNotHaveDuplicates();
    }

    private static void pauseDispatch(int paused) {
        database.updateIn("shop", "UPDATE outbox_control SET paused = " + paused + " WHERE destination = 'default'");
    }

    private static List<String> unpublished() {
        return inShop("SELECT message_id FROM outbox_message_view WHERE status IS DISTINCT FROM 'PUBLISHED'");
    }

    @Test
    void healthChecksAnswerAtTheManagementPort() {
        assertThat(Http.get(server.management("/health")).body())
                .contains("outbox-dispatcher", "outbox-store", "outbox-delivery", "outbox-backlog");
    }

    @Test
    void metricsAreExportedToOpenTelemetry() {
        String order = sample.placeOrder();
        await().atMost(SOON).until(() -> sample.deliveries(order).size() == 1);

        await().atMost(SOON).untilAsserted(() -> assertThat(collector.metrics())
                .hasEntrySatisfying(CAPTURED, captured -> assertThat(captured).isPositive())
                .hasEntrySatisfying(SENT, sent -> assertThat(sent).isPositive())
                .containsEntry(ABANDONED, 0.0));
    }

    private static List<String> inShop(String sql) {
        return database.queryIn("shop", sql);
    }
}
