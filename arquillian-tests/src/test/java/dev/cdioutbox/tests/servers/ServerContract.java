package dev.cdioutbox.tests.servers;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.JakartaServer;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the outbox promises on each server: the sample with the server's own DataSource, transaction manager and messaging, as the
 * script of the server's page in docs/howto configures them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ServerContract {
    private static final int PREPARED_TRANSACTIONS = 100;
    private static final int MANY = 100;
    private static final int WRITERS = 4;
    private static final String ROOT = "/sample";
    private static final String UNPUBLISHED =
            "SELECT message_id FROM outbox_message_view WHERE status IS DISTINCT FROM 'PUBLISHED'";

    private final String page;
    private final String beginOfScript;
    private final String broker;
    private final PostgresServer database = new PostgresServer();
    private JakartaServer server;
    private SampleClient sample;
    private Path war;

    /**
     * @param page the name of the server's page
     * @param beginOfScript the first word of its script
     * @param broker as the server's messaging calls itself
     */
    ServerContract(String page, String beginOfScript, String broker) {
        this.page = page;
        this.beginOfScript = beginOfScript;
        this.broker = broker;
    }

    /** Makes a server that is not yet configured, with the variables of its environment. */
    abstract JakartaServer create();

    /** What this server needs in the WAR. */
    Map<String, String> files() throws IOException {
        return Map.of();
    }

    /** The first block of the server's page that begins so. */
    final String block(String begin) throws IOException {
        Path file = Path.of(System.getProperty("project.root"), "docs", "howto", page);
        Matcher block =
                Pattern.compile("(?ms)^```(?:xml)?\\n(" + begin + ".*?)^```$").matcher(Files.readString(file));
        assertThat(block.find()).as("a block in %s", file).isTrue();
        return block.group(1);
    }

    final SampleClient sample() {
        return sample;
    }

    final JakartaServer server() {
        return server;
    }

    final Path war() {
        return war;
    }

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        database.start(PREPARED_TRANSACTIONS);
        database.update("CREATE ROLE shop LOGIN PASSWORD 'secret'");
        database.update("CREATE DATABASE shop OWNER shop");
        Files.copy(driver(), folder.resolve("postgresql.jar"));
        Files.writeString(folder.resolve("operator.txt"), "AS_ADMIN_USERPASSWORD=try-it\n");
        war = application(folder);
        server = create();
        // Many transactions of few messages: more moments to die in.
        server.with("OUTBOX_DISPATCHER_BATCH_SIZE", 5);
        server.with("OUTBOX_CONSOLE_ENABLED", true);
        String script = block(beginOfScript).replace("5432", String.valueOf(database.port()));
        server.configure(Files.writeString(folder.resolve("shop.script"), script));
        server.start(server.url("/"));
        sample = new SampleClient(path -> server.url(ROOT + path));
        deploy();
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
        database.close();
    }

    private static Path driver() throws IOException {
        Path drivers = Path.of(System.getProperty("test.server-config"), "jdbc");
        try (DirectoryStream<Path> found = Files.newDirectoryStream(drivers, "postgresql-*.jar")) {
            return found.iterator().next();
        }
    }

    /** The sample but for the resource that shows Liberty's own queue of poison messages, and with the way to sign in. */
    private Path application(Path folder) throws IOException {
        Path copy = Files.copy(Path.of(System.getProperty("sample.war")), folder.resolve("sample.war"));
        try (FileSystem war = FileSystems.newFileSystem(copy)) {
            Files.delete(war.getPath("WEB-INF/classes/dev/cdioutbox/sample/PutAsideResource.class"));
            Files.writeString(war.getPath("WEB-INF/web.xml"), """
                    <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
                      <login-config><auth-method>BASIC</auth-method></login-config>
                      <security-role><role-name>outbox-admin</role-name></security-role>
                    </web-app>
                    """);
            Path classes = war.getPath("WEB-INF/classes/dev/cdioutbox/tests/servers");
            Files.createDirectories(classes);
            for (String name : List.of("Note.class", "NoteBook.class", "NoteServlet.class")) {
                try (InputStream bytes = ServerContract.class.getResourceAsStream(name)) {
                    Files.copy(bytes, classes.resolve(name));
                }
            }
            for (Map.Entry<String, String> file : files().entrySet()) {
                Files.writeString(war.getPath(file.getKey()), file.getValue());
            }
        }
        return copy;
    }

    final void deploy() {
        server.deploy(war);
        await("the application answers").atMost(LONG).until(() -> Http.answers(server.url(ROOT + "/api/orders")));
    }

    @Test
    void committedOrderReachesTheConsumerOnceAndARolledBackOneNever() {
        assertThat(sample.post("/api/orders?fail=after-fire", SampleClient.order("Grace", "Tea", "1"))
                        .statusCode())
                .isEqualTo(500);
        String order = sample.placeOrder();
        cancel(order);

        awaitShipped(order);
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
                .containsPattern("OBX-0420: .* with PostgreSQL .* and " + broker);
    }

    /** By {@code @Transactional}: GlassFish's interceptor takes the transaction from the component before the commit. */
    @Test
    void eventIsStoredIfAndOnlyIfItsTransactionIsCommittedThoughTheServerIsKilled() {
        pauseDispatch(1);
        database.updateIn("shop", "CREATE TABLE note (id VARCHAR(36) PRIMARY KEY)");
        database.updateIn("shop", "ALTER TABLE note OWNER TO shop");
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        for (int i = 0; i < WRITERS; i++) {
            writers.submit(this::writeNotes);
        }
        await().atMost(LONG).until(() -> inShop("SELECT id FROM note").size() >= MANY);
        server.kill();
        writers.shutdown();
        await().atMost(LONG).until(writers::isTerminated);
        server.start(server.url(ROOT + "/api/orders"));

        await().atMost(LONG)
                .until(() -> inShop("SELECT gid FROM pg_prepared_xacts").isEmpty());
        assertThat(inShop("SELECT message_key FROM outbox_message WHERE event_type = 'Note'"))
                .containsExactlyInAnyOrderElementsOf(inShop("SELECT id FROM note"));
        // The sample's consumer knows no notes.
        database.updateIn(
                "shop",
                "DELETE FROM outbox_queue USING outbox_message m"
                        + " WHERE m.seq = outbox_queue.seq AND m.event_type = 'Note'");
        database.updateIn("shop", "DELETE FROM outbox_message WHERE event_type = 'Note'");
        pauseDispatch(0);
    }

    private void writeNotes() {
        try {
            while (sample.get("/notes").statusCode() == 200) {
                // until the server is dead
            }
        } catch (Http.UnreachableException killed) {
            // The notes and the events are compared with each other, so it does not matter what was acknowledged.
        }
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
            await().atMost(LONG).until(() -> server.log().indexOf("OBX-0403: destination 'default'", before) > 0);
            assertThat(inShop("SELECT status FROM outbox_message_view WHERE message_key = '" + order + "'"))
                    .containsExactly("PENDING");
        } finally {
            database.stop();
            database.start(PREPARED_TRANSACTIONS);
        }
        await().atMost(LONG).until(() -> sample.deliveries(order).size() == 1);
    }

    @Test
    void serverThatIsKilledWhileItSendsLosesNothingAndDeliversNothingTwice() {
        List<String> orders = ordersThatAreBeingSent();
        server.kill();
        assertThat(inShop(UNPUBLISHED)).isNotEmpty();
        server.start(server.url(ROOT + "/api/orders"));

        assertEachOnce(orders);
    }

    @Test
    void applicationThatIsTakenAwayWhileItSendsLosesNothingAndDeliversNothingTwice() {
        List<String> orders = ordersThatAreBeingSent();
        server.undeploy(war);
        assertThat(inShop("SELECT node_id FROM outbox_node"))
                .as("it said good-bye")
                .isEmpty();
        deploy();

        assertEachOnce(orders);
    }

    /** No message property may have such a name, so the send fails each time. */
    @Test
    void failedMessageIsRetriedAndHoldsUpItsKeyUntilAnOperatorHasItSentByTheConsole() {
        pauseDispatch(1);
        String order = sample.placeOrder();
        cancel(order);
        String message = inShop("SELECT message_id FROM outbox_message_view WHERE event_type = 'OrderPlaced'"
                        + " AND message_key = '" + order + "'")
                .get(0);
        setHeaders(message, "'{\"no name\":\"x\"}'");
        pauseDispatch(0);
        await().atMost(LONG).until(() -> inShop(
                        "SELECT status FROM outbox_message_view WHERE message_key = '" + order + "' ORDER BY seq")
                .equals(List.of("FAILED", "PENDING")));

        assertThat(console("GET", "/messages/" + message, null).statusCode()).isEqualTo(401);
        assertThat(console("GET", "/messages/" + message, "operator:try-it").body())
                .contains("\"FAILED\"");
        setHeaders(message, "NULL");
        assertThat(console("POST", "/messages/" + message + "/retry", "operator:try-it")
                        .statusCode())
                .isEqualTo(200);
        awaitShipped(order);
    }

    private void awaitShipped(String order) {
        await().atMost(LONG).until(() -> sample.deliveries(order).size() >= 2);
        assertThat(inShop("SELECT event_type FROM shipment WHERE order_id = '" + order + "' ORDER BY sequence_no"))
                .containsExactly("OrderPlaced", "OrderCancelled");
    }

    private void cancel(String order) {
        assertThat(sample.post("/api/orders/" + order + "/cancel", "").statusCode())
                .isEqualTo(200);
    }

    private HttpResponse<String> console(String method, String path, String user) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.url(ROOT + "/outbox/api/v1" + path))
                .header("X-Outbox-Console", "test")
                .method(method, BodyPublishers.noBody());
        if (user != null) {
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)));
        }
        return Http.send(request);
    }

    private List<String> ordersThatAreBeingSent() {
        pauseDispatch(1);
        List<String> orders = Stream.generate(sample::placeOrder).limit(MANY).toList();
        pauseDispatch(0);
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> inShop(UNPUBLISHED).size() < MANY);
        return orders;
    }

    private void assertEachOnce(List<String> orders) {
        await().atMost(LONG).until(() -> inShop(UNPUBLISHED).isEmpty());
        await().atMost(LONG).until(() -> inShop("SELECT order_id FROM shipment").containsAll(orders));
        assertThat(inShop("SELECT order_id FROM shipment WHERE event_type = 'OrderPlaced'"))
                .doesNotHaveDuplicates();
        assertThat(inShop("SELECT message_key FROM outbox_message WHERE message_key NOT IN (SELECT id FROM orders)"))
                .as("events of orders that were rolled back")
                .isEmpty();
    }

    private void setHeaders(String message, String headers) {
        database.updateIn(
                "shop", "UPDATE outbox_message SET headers = " + headers + " WHERE message_id = '" + message + "'");
    }

    private void pauseDispatch(int paused) {
        database.updateIn("shop", "UPDATE outbox_control SET paused = " + paused + " WHERE destination = 'default'");
    }

    private List<String> inShop(String sql) {
        return database.queryIn("shop", sql);
    }
}
