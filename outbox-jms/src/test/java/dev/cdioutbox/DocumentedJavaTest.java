package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java of the documents compiles as it is written. A whole class has its imports; to a part of one, each test adds
 * imports. The reader's own classes are added to both.
 */
class DocumentedJavaTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern JAVA = Pattern.compile("(?ms)^ *```java\\n(.*?)^ *```");
    private static final Pattern CLASS = Pattern.compile("(?m)^(?:public )?(?:class|record) (\\w+)");
    private static final String IMPORTS = """
            import dev.cdioutbox.*;
            import dev.cdioutbox.jms.*;
            import dev.cdioutbox.operate.*;
            import dev.cdioutbox.persistence.*;
            import dev.cdioutbox.spi.*;
            import dev.cdioutbox.spi.PublishException.Blame;
            import dev.cdioutbox.testing.*;
            import jakarta.annotation.Resource;
            import jakarta.ejb.*;
            import jakarta.enterprise.context.ApplicationScoped;
            import jakarta.enterprise.event.*;
            import jakarta.inject.Inject;
            import jakarta.jms.*;
            import jakarta.json.bind.*;
            import jakarta.persistence.*;
            import jakarta.transaction.Transactional;
            import jakarta.ws.rs.core.Response;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.function.Supplier;
            import org.junit.jupiter.api.Test;
            """;

    /** TutorialIT, KafkaIT, AvroPageTest and InDoubtPageTest compile and run these; ShownClassesTest compares the others. */
    private static final Set<String> NOT_COMPILED_HERE = Set.of(
            "docs/tutorial.md",
            "docs/howto/avro.md",
            "docs/howto/kafka.md",
            "docs/howto/transactions-in-doubt.md",
            "docs/howto/coming-from.md",
            "docs/recipes.md");

    private static final Set<String> COMPILED_HERE = Set.of(
            "README.md",
            "docs/capture.md",
            "docs/consume.md",
            "docs/handlers.md",
            "docs/howto/flyway-liquibase.md",
            "docs/howto/ordering.md",
            "docs/howto/poison-messages.md",
            "docs/howto/second-queue-and-topic.md",
            "docs/rollout.md",
            "docs/testing.md");

    /** A block that begins with a class, and not with its imports. */
    private static final Pattern CLASS_WITHOUT_IMPORTS =
            Pattern.compile("\\A(?:@\\w+(?:\\(.*\\))?\\n)*public (?:class|record) ");

    private static final Pattern EXAMPLE = Pattern.compile("<pre>\\{@code\\n(.*?)\\n *\\* }</pre>", Pattern.DOTALL);
    private static final Pattern MEMBERS = Pattern.compile("\\A(?:@|public |class |record |void )");

    @TempDir
    Path classes;

    @Test
    void everyPageWithJavaIsCompiled() throws IOException {
        Set<String> withJava = new TreeSet<>();
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> below = Files.walk(ROOT.resolve("docs"))) {
            for (Path page : Stream.concat(top, below)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList()) {
                if (JAVA.matcher(Files.readString(page)).find()) {
                    withJava.add(ROOT.relativize(page).toString());
                }
            }
        }
        withJava.removeAll(NOT_COMPILED_HERE);
        assertThat(withJava).isEqualTo(new TreeSet<>(COMPILED_HERE));
    }

    /** The reader copies it into a file. The README alone leaves the imports out, to stay short. */
    @Test
    void wholeClassHasItsImports() throws IOException {
        for (String page : COMPILED_HERE) {
            if (!page.equals("README.md")) {
                assertThat(blocks(page)).as(page).noneMatch(block -> CLASS_WITHOUT_IMPORTS
                        .matcher(block.stripIndent())
                        .find());
            }
        }
    }

    @Test
    void readmeShowsAnEventAndAConsumerInTenLines() throws IOException {
        List<String> shown = code("README.md", 2);

        assertThat(shown.get(1).lines().filter(line -> !line.isBlank())).hasSizeLessThanOrEqualTo(10);
        assertCompiles(String.join("", shown), """
                class Order {
                    Order(String customer) {}
                    String getId() { return "1"; }
                }
                class Shipment {
                    Shipment(OrderPlaced order) {}
                }
                """);
    }

    @Test
    void pageOfCapture() throws IOException {
        List<String> shown = code("docs/capture.md", 6);

        assertCompiles(shown.get(0), "");
        assertCompiles(shown.get(1), "record Invoice(String number) {}");
        assertCompiles(shown.get(2), "");
        assertCompiles(
                "class Caller { Orders orders; Response place(String customer) { if (true) { %s } return null; } }"
                        .formatted(shown.get(3)),
                "interface Orders { void place(String customer); }");
        assertCompiles(shown.get(4), """
                record Tenant(String id) {}
                record ReminderDue(Instant at) {}
                """);
        assertCompiles(shown.get(5), "record OrderCancelled(String orderId) {}");
    }

    @Test
    void pageOfFlyway() throws IOException {
        Source flyway = new Source("""
                package org.flywaydb.core;
                public class Flyway {
                    public static Flyway configure() { return null; }
                    public Flyway dataSource(javax.sql.DataSource source) { return this; }
                    public Flyway load() { return this; }
                    public void migrate() {}
                }
                """);
        assertCompile(
                List.of(new Source(code("docs/howto/flyway-liquibase.md", 1).get(0)), flyway));
    }

    @Test
    void pageOfConsumers() throws IOException {
        List<String> shown = code("docs/consume.md", 5);

        assertCompiles(shown.get(0), """
                record OrderPlaced(String orderId) {}
                class Shipment {
                    Shipment(String orderId) {}
                }
                """);
        assertCompiles(shown.get(1), "record Payment(String orderId) {}");
        assertCompiles(shown.get(2), """
                record OrderPlaced(String orderId) {}
                class Shipment {
                    Shipment(String orderId) {}
                }
                """);
        assertCompiles(shown.get(3), "");
        assertCompiles("""
                class Chooser {
                    @Inject ReceivedEvents events;
                    void onMessage(Message message) { %s }
                    void ship(OrderPlaced order) {}
                    void stop(Stop stop) {}
                }
                """.formatted(shown.get(4)), """
                record OrderPlaced(String orderId) {}
                record Stop(String orderId) {}
                """);
    }

    @Test
    void pageOfHandlers() throws IOException {
        List<String> shown = code("docs/handlers.md", 3);
        String event = "record OrderPlaced(String orderId, String customer) {}";

        assertCompiles(shown.get(0), "");
        assertCompiles(shown.get(1), event + """

                class Shipment {
                    Shipment(String orderId) {}
                }
                """);
        assertCompiles(shown.get(2), event + """

                interface Bank {
                    boolean isClosed();
                }
                class Bill {
                    Bill(String orderId, String customer) {}
                }
                """);
    }

    @Test
    void pageOnTesting() throws IOException {
        List<String> shown = code("docs/testing.md", 11);

        List<Source> files = new ArrayList<>();
        shown.subList(0, 6).forEach(file -> files.add(new Source(file)));
        for (String name : List.of("Order", "OrderPlaced", "OrderService")) {
            files.add(new Source(Files.readString(
                    ROOT.resolve("docs/shop/src/main/java/org/example/shop").resolve(name + ".java"))));
        }
        assertCompile(files);
        assertCompiles("class OnAServerTest { Orders orders; %s }".formatted(shown.get(6)), """
                class Orders {
                    void place(String id, int items) {}
                }
                """);
        assertCompiles(
                "class FromOutside { void await(javax.sql.DataSource dataSource) { %s } }".formatted(shown.get(7)), "");
        assertCompiles(
                "class QueueTest { Orders orders; %s }".formatted(shown.get(8)),
                "class Orders { void place(String id, int items) {} }");
        assertCompiles("""
                import dev.cdioutbox.testing.OutboxWait;
                import java.sql.*;
                import org.junit.jupiter.api.Test;
                class FromOutsideTest {
                    javax.sql.DataSource dataSource;
                    String placeOrderOverHttp() { return null; }
                    %s
                }
                """.formatted(shown.get(9)), "");
    }

    @Test
    void testWithContainers() throws IOException {
        Source testcontainers = new Source("""
                package org.testcontainers.containers;
                public class PostgreSQLContainer<S extends PostgreSQLContainer<S>> {
                    public PostgreSQLContainer(String image) {}
                    public S withDatabaseName(String name) { return null; }
                    public S withUsername(String name) { return null; }
                    public S withPassword(String password) { return null; }
                    public S withCommand(String... parts) { return null; }
                    public void start() {}
                    public void stop() {}
                    public String getHost() { return null; }
                    public Integer getFirstMappedPort() { return null; }
                }
                """);
        Source awaitility = new Source("""
                package org.awaitility;
                public class Awaitility {
                    public static Awaitility await() { return null; }
                    public Awaitility atMost(java.time.Duration time) { return null; }
                    public Awaitility ignoreExceptions() { return null; }
                    public void until(java.util.concurrent.Callable<Boolean> condition) {}
                }
                """);
        Source page = new Source(code("docs/testing.md", 11).get(10));

        assertCompile(List.of(page, testcontainers, awaitility));
    }

    @Test
    void howToPages() throws IOException {
        List<String> ordering = code("docs/howto/ordering.md", 3);
        String event = "record OrderPlaced(@OutboxKey Long orderId) {}";
        assertCompiles(ordering.get(0), "");
        assertCompiles(
                "class Flushing { void place(EntityManager entities, Event<OrderPlaced> placed, Order order) { %s } }"
                        .formatted(ordering.get(1)),
                event + "interface Order { Long getId(); }");
        assertCompiles("class Order extends OutboxAggregate { private Long id; %s }".formatted(ordering.get(2)), event);

        assertCompiles(
                code("docs/howto/poison-messages.md", 1).get(0),
                "class OpenCase { OpenCase(String type, String key, String reason, String payload) {} }");
        for (String destination : code("docs/howto/second-queue-and-topic.md", 2)) {
            assertCompiles(destination, "");
        }
    }

    @Test
    void pageOfRollout() throws IOException {
        List<String> rollout = code("docs/rollout.md", 2);
        String ofTheReader = """
                record Sold(String id) {}
                interface OldTable { void write(Sold sold); }
                """;
        assertCompiles(rollout.get(0), ofTheReader);
        assertCompiles(
                "class Sales { void sell(OldTable oldTable, Event<Sold> event, Sold sold) { %s } }"
                        .formatted(rollout.get(1)),
                ofTheReader);
    }

    /** Each example is made of members or of statements of a class that has what a reader would have. */
    @Test
    void examplesOfTheJavadoc() throws IOException {
        String ofTheReader = """
                class Reader {
                    Object CANCELLED, status;
                    String id;
                    String tenant;
                    Bank bank;
                    Invoice invoice;
                    Order order;
                    Orders orders;
                    Mail mail;
                    Jdbc jdbc;
                    Client client;
                    OutboxMetadata metadata;
                    OutboxOperations outbox;
                    UUID messageId;
                    EntityManager entities;
                    ReceivedEvents events;
                    Event<Invoice> invoices;
                    Message message;
                    Map<OutboxMessage, CompletableFuture<Object>> confirmations;
                    void show(Object... values) {}
                    void ship(OrderPlaced placed) {}
                    void stop(OrderCancelled cancelled) {}
                }
                class ParcelPublisher implements OutboxPublisher {
                    ParcelPublisher(String address) {}
                    public boolean joinsTransactions() { return false; }
                    public Sender open(DestinationId destination) { return null; }
                    public void probe(DestinationId destination) {}
                }
                class ParcelConsumer {
                    ParcelConsumer(String address, String queue) {}
                    List<PublisherContract.Received> receiveUntil(UUID last) { return List.of(); }
                }
                interface Client { CompletableFuture<Object> sendAsync(OutboxMessage message); }
                interface Bank { boolean isClosed(); }
                class Shipment {
                    Shipment(String orderId) {}
                }
                interface Mail { void send(String to, String text); }
                interface Jdbc { void update(String statement, Object... parameters); }
                class Orders {
                    Orders() {}
                    Orders(Event<OrderPlaced> placed) {}
                    void place(Order order) {}
                    void place(String id, String customer) {}
                }
                record Order(String id, String status) {}
                record Invoice(String number) { String toXml() { return ""; } }
                record Payment(String id) {}
                record OrderPlaced(String orderId) {}
                record OrderCancelled(String orderId) {}
                record Tenant(String id) {}
                """;
        int examples = 0;
        for (String module : List.of("outbox-api/src/main", "outbox-cdi/src/testkit", "outbox-jms/src/main")) {
            for (Path file : api(ROOT.resolve(module))) {
                for (MatchResult found :
                        EXAMPLE.matcher(Files.readString(file)).results().toList()) {
                    String example = found.group(1).replaceAll("(?m)^ *\\* ?", "");
                    String shown = MEMBERS.matcher(example).find()
                            ? example
                            : "Object shown() throws Exception { if (true) { " + example + " } return null; }";
                    assertCompiles("class Shown extends Reader { " + shown + " }", ofTheReader);
                    examples++;
                }
            }
        }
        assertThat(examples).isGreaterThan(8);
    }

    private static List<Path> api(Path module) throws IOException {
        try (Stream<Path> files = Files.walk(module)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("internal"))
                    .toList();
        }
    }

    private static List<String> code(String document, int blocks) throws IOException {
        List<String> shown = blocks(document);
        assertThat(shown).as("the blocks of %s", document).hasSize(blocks);
        return shown;
    }

    private static List<String> blocks(String document) throws IOException {
        Matcher all = JAVA.matcher(Files.readString(ROOT.resolve(document)));
        return all.results().map(block -> block.group(1)).toList();
    }

    private void assertCompiles(String shown, String ofTheReader) {
        // A public type would have to be in a file of its name.
        String local = shown.replaceAll("public (class|record)", "$1");
        String source = shown.stripLeading().startsWith("import ") ? local : IMPORTS + local;
        assertCompile(List.of(new Source("Shown", source), new Source("OfTheReader", IMPORTS + ofTheReader)));
    }

    private void assertCompile(List<Source> sources) {
        StringWriter complaints = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        boolean compiles = compiler.getTask(
                        complaints, null, null, List.of("-proc:none", "-d", classes.toString()), null, sources)
                .call();
        assertThat(compiles).as("%s%n%s", complaints, sources).isTrue();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        /** A file that is named after its first class. */
        Source(String text) {
            this(
                    CLASS.matcher(text)
                            .results()
                            .map(found -> found.group(1))
                            .findFirst()
                            .orElseThrow(),
                    text);
        }

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
