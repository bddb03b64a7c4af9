package dev.cdioutbox.tests.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.cdioutbox.kafka.Broker;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The steps of docs/tutorial.md work: its files in an empty folder, its commands, and the answers that it shows. The unit
 * tests of docs/testing.md run in the same project.
 */
@Timeout(value = 45, unit = TimeUnit.MINUTES)
class TutorialIT {
    static final String LAST_CHAPTERS = "PostgreSQL";
    private static final String KAFKA = "Kafka";

    private final Page testing = Page.read(Path.of(System.getProperty("project.root"), "docs", "testing.md"));
    private final Page page = Page.read(Path.of(System.getProperty("project.root"), "docs", "tutorial.md"));

    private Path repository;
    private Path shop;

    @BeforeEach
    void writeTheFirstChapters(@TempDir Path outside) throws IOException {
        repository = outside.resolve("repository");
        OrdinaryMaven.prepareRepository(repository);
        shop = Files.createDirectory(outside.resolve("shop"));
        page.before(LAST_CHAPTERS).writeFiles(shop);
    }

    @Test
    void eventArrivesWithTheFilesOfThePage() throws IOException {
        runAndAsk(shop, repository);
    }

    @Tag("full")
    @Test
    void testsPassOnPostgresqlWithTheFilesOfBothPages() throws IOException {
        page.from(LAST_CHAPTERS).changeInclude(shop.resolve("src/main/liberty/config/server.xml"));
        page.from(LAST_CHAPTERS).writeFiles(shop);
        testing.writeFiles(shop);
        testing.addDependencies(shop.resolve("pom.xml"));
        testOnPostgresql(shop, repository);
    }

    @Tag("full")
    @Test
    void eventArrivesInATopicToo(@TempDir Path folder) throws Exception {
        Page kafka = page.from(KAFKA);
        Path serverXml = shop.resolve("src/main/liberty/config/server.xml");
        kafka.addDependencies(shop.resolve("pom.xml"));
        kafka.addVariables(serverXml);
        int port = LibertyServer.freePort();
        URI orders = URI.create("http://localhost:" + port + "/shop/api/orders");
        try (Broker broker = new Broker(folder)) {
            broker.create("shop.orders", Map.of());
            broker.create("outbox-markers", Map.of("cleanup.policy", "compact"));
            Files.writeString(serverXml, Files.readString(serverXml).replace("localhost:9092", broker.address()));
            try (OrdinaryMaven maven = OrdinaryMaven.start(
                    shop, repository, "package", "liberty:run", "-Dliberty.var.http.port=" + port)) {
                maven.await("an answer from " + orders, () -> Http.answers(orders));

                assertShippedAndReceived(maven, orders, broker, () -> {});
                broker.stop();
                assertShippedAndReceived(maven, orders, broker, broker::start);
                assertThat(maven.log())
                        .contains("OBX-0420: destination 'orders': exactly-once")
                        .doesNotContain("SLF4J", "ProducerConfig");
                maven.interrupt();
            }
        }
    }

    /** @param shipped what happens between the two */
    private static void assertShippedAndReceived(OrdinaryMaven maven, URI orders, Broker broker, Runnable shipped) {
        String placed = Http.post(URI.create(orders + "?customer=Ada"), "").body();
        String id = placed.replaceFirst(".*\"id\":\"([^\"]+)\".*", "$1");
        maven.await("the shipment", () -> Http.get(orders).body().contains(placed.replace("PLACED", "SHIPPED")));
        shipped.run();
        assertThat(broker.receive(
                        "shop.orders", new HashMap<>(), event -> event.key().equals(id)))
                .extracting(ConsumerRecord::value)
                .contains("{\"customer\":\"Ada\",\"orderId\":\"" + id + "\"}");
    }

    private void runAndAsk(Path shop, Path repository) throws IOException {
        int port = LibertyServer.freePort();
        URI orders = URI.create("http://localhost:" + port + "/shop/api/orders");
        try (OrdinaryMaven maven =
                OrdinaryMaven.start(shop, repository, "package", "liberty:run", "-Dliberty.var.http.port=" + port)) {
            maven.await("an answer from " + orders, () -> Http.answers(orders));

            assertThat(page.before(LAST_CHAPTERS).exchanges()).hasSizeGreaterThan(4);
            for (Page.Exchange exchange : page.before(LAST_CHAPTERS).exchanges()) {
                if (exchange.changes()) {
                    HttpResponse<String> answer = Http.send(exchange.request(port));
                    assertThat(answer.body()).matches(exchange::isAnsweredBy, exchange.toString());
                } else {
                    maven.await(
                            exchange.toString(),
                            () -> exchange.isAnsweredBy(
                                    Http.send(exchange.request(port)).body()));
                }
            }
            assertThat(OrdinaryMaven.servers()).hasSize(1);
            maven.interrupt();

            assertThat(maven.log()).contains("OBX-0407", "OBX-0420");
            // The plugin reads server.xml too, and finds an included file in fewer ways than the server does.
            assertThat(maven.log()).doesNotContain("Did not parse any file");
        }
        assertThat(OrdinaryMaven.servers()).isEmpty();
    }

    /** The tutorial's own test sends the requests. */
    private static void testOnPostgresql(Path shop, Path repository) throws IOException {
        try (PostgresServer database = new PostgresServer().start(100)) {
            // The container image does this for POSTGRES_USER and POSTGRES_PASSWORD.
            database.update("CREATE ROLE outbox LOGIN PASSWORD 'outbox'");
            database.update("CREATE DATABASE outbox OWNER outbox");
            try (OrdinaryMaven maven = OrdinaryMaven.start(
                    shop,
                    repository,
                    "verify",
                    "-Dliberty.var.http.port=" + LibertyServer.freePort(),
                    "-Dliberty.var.cdioutbox.postgresql.port=" + database.port(),
                    // In seconds. The default of 30 is too short beside other builds.
                    "-DserverStartTimeout=1200",
                    "-DverifyTimeout=1200")) {
                maven.awaitSuccess();

                assertThat(maven.log())
                        .as("the unit tests of the page on testing, and the tutorial's test on the server")
                        .contains("Tests run: 6, Failures: 0, Errors: 0, Skipped: 0")
                        .contains("Tests run: 1, Failures: 0, Errors: 0, Skipped: 0");
                assertThat(database.queryIn("outbox", "SELECT status FROM outbox_message_view"))
                        .containsExactly("PUBLISHED");
            }
            assertThat(OrdinaryMaven.servers()).isEmpty();
        }
    }
}
