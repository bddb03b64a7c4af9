package dev.cdioutbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.config.PropertyNamingStrategy;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.spi.OutboxSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guards that no payload changes unnoticed while its version stays. */
class EventContractsTest {
    private static final String ORDER = """
            @OutboxEvent public record OrderPlaced(@OutboxKey String id, BigDecimal total, Status status, Customer customer) {
                public enum Status { NEW, PAID }
                public record Customer(String name, String city) {}
            }
            """;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = folder.resolve("resources/outbox-contracts.txt");
    }

    /** A test that passed would pass in each build that lacks the file, and guard nothing. */
    @Test
    void firstRunWritesTheFileAndFailsAndTheNextOnePasses() throws IOException {
        EventContracts contracts = contracts(ORDER);

        assertThatThrownBy(() -> contracts.verify(file))
                .isInstanceOf(AssertionError.class)
                .hasMessage(file + """
                         has got what it lacked:
                          OrderPlaced 1 is new
                        Consumers that do not know it can do without it. Look at the file, commit it, and run the test again.""");
        assertThat(file).content().endsWith("""

                OrderPlaced 1
                  customer.city: string
                  customer.name: string
                  id: string
                  status: enum NEW | PAID
                  total: number
                """);
        String written = Files.readString(file);
        contracts.verify(file);
        assertThat(file).hasContent(written);
    }

    @Test
    void changeWithoutANewVersionIsNamedAndLeavesTheFileAlone() throws IOException {
        accept(ORDER, "@OutboxEvent public record OrderShipped(String id) {}");
        String before = Files.readString(file);

        assertThatThrownBy(() -> verify("""
                        @OutboxEvent public record OrderPlaced(@OutboxKey String id, String total, Status status, Customer customer) {
                            public enum Status { NEW, SETTLED }
                            public record Customer(@JsonbProperty("fullName") String name) {}
                        }
                        """))
                .isInstanceOf(AssertionError.class)
                .hasMessage("The payloads are no longer as " + file + """
                         has them:
                          OrderPlaced 1: "customer.city" is gone: was string
                          OrderPlaced 1: "customer.name" is gone: was string
                          OrderPlaced 1: "status" has new constants: SETTLED; has lost constants: PAID
                          OrderPlaced 1: "total" was number, is string
                          OrderShipped 1: nothing fires it any more
                          OrderPlaced 1: "customer.fullName" is new: string
                        Consumers rely on it, and messages that wait have the old payload. Undo the change, or raise the version of\
                         the event and first deploy consumers that read both. If nobody relies on what has changed, delete its\
                         lines from the file and run the test again.""");
        assertThat(file).hasContent(before);
    }

    @Test
    void newConstantIsABreachBecauseConsumersWithAnEnumCannotReadIt() throws IOException {
        accept("@OutboxEvent public record Moved(Way way) { public enum Way { UP } }");

        assertThatThrownBy(() -> verify("@OutboxEvent public record Moved(Way way) { public enum Way { UP, DOWN } }"))
                .hasMessageContaining("\"way\" has new constants: DOWN\n");
    }

    @Test
    void newPropertyIsAddedToTheFileAndFailsOnce() throws IOException {
        accept("@OutboxEvent public record Counted(int total) {}");
        String more = "@OutboxEvent public record Counted(int total, Optional<String> note) {}";

        assertThatThrownBy(() -> verify(more))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Counted 1: \"note\" is new: string");
        verify(more);
    }

    @Test
    void higherVersionMayHaveAnyPayloadAndTheOldOneStaysInTheFile() throws IOException {
        accept("@OutboxEvent public record Counted(int total) {}");
        String next = "@OutboxEvent(version = 2) public record Counted(String sum) {}";

        assertThatThrownBy(() -> verify(next)).hasMessageContaining("  Counted 2 is new\n");
        verify(next);
        assertThat(file).content().endsWith("""

                Counted 1
                  total: integer

                Counted 2
                  sum: string
                """);
        assertThatThrownBy(() -> verify("@OutboxEvent public record Counted(int total) {}"))
                .hasMessageContaining("Counted 2: nothing fires it any more");
    }

    @Test
    void changeIsAcceptedByDeletingItsLineFromTheFile() throws IOException {
        accept("@OutboxEvent public record Counted(int total) {}");
        Files.writeString(file, Files.readString(file).replace("  total: integer\n", ""));
        String changed = "@OutboxEvent public record Counted(String total) {}";

        assertThatThrownBy(() -> verify(changed)).hasMessageContaining("\"total\" is new: string");
        verify(changed);
    }

    @Test
    void fileThatSomebodyHasSpoiltIsNotReadAsAnEmptyOne() throws IOException {
        accept("@OutboxEvent public record Counted(int total) {}");
        Files.writeString(file, Files.readString(file).replace("  total: integer\n", "  total integer\n"));

        assertThatThrownBy(() -> verify("@OutboxEvent public record Counted(int total) {}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(":   total integer");
    }

    @Test
    void eventsOfInjectionPointsAndSubclassesHaveContractsToo() throws IOException {
        accept(
                "@OutboxEvent(type = \"payment\") public interface Payment { String getId(); }",
                "public record Refund(@JsonbProperty(\"id\") String getId, int amount) implements Payment {}",
                "public class Cash implements Payment { public String getId() { return null; } public boolean isOpen() { return true; } }",
                "public record Invoice(String number) {}",
                """
                public class Billing {
                    @Inject Billing(@OutboxEvent(type = "invoice.issued", version = 3) Event<Invoice> issued) {}
                    void see(@Observes @OutboxEvent String any) {}
                }
                """);

        assertThat(file).content().endsWith("""

                invoice.issued 3
                  number: string

                payment 1
                  amount: integer
                  id: string
                  open: boolean
                """);
    }

    @Test
    void whatOnlyCodeDescribesMustBeTold() throws IOException {
        CompiledApplication shop = CompiledApplication.inAFolder(
                folder,
                """
                public class Invoices {
                    void issue(Event<Invoice> event, Invoice invoice) {
                        event.select(OutboxEvent.Literal.of("invoice.issued").withVersion(2)).fire(invoice);
                    }
                }
                """,
                "public record Invoice(String number) {}",
                "@OutboxEvent public record Counted(int total) {}");
        CompiledApplication another = CompiledApplication.inAFolder(
                folder,
                "public class Invoices { @Inject @OutboxEvent(type = \"invoice.issued\") Event<Object> any; }",
                "@OutboxEvent public record Counted(int total) {}");

        assertThatThrownBy(() -> shop.contracts().verify(file))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("[org.example.Invoices]")
                .hasMessageContaining("withEvent(…)");
        assertThatThrownBy(() -> another.contracts().verify(file)).hasMessageContaining("withEvent(…)");
        assertThatThrownBy(() -> shop.contracts()
                        .withEvent(
                                shop.load("Invoice"),
                                OutboxEvent.Literal.of("invoice.issued").withVersion(2))
                        .verify(file))
                .hasMessageContaining("  Counted 1 is new\n  invoice.issued 2 is new\n");
    }

    @Test
    void jsonbOfTheApplicationMustBeTold() throws IOException {
        CompiledApplication shop = CompiledApplication.inAFolder(
                folder,
                "@OutboxEvent public record Counted(int grandTotal) {}",
                "public class Json { @Produces Jsonb jsonb() { return null; } }");

        assertThatThrownBy(() -> shop.contracts().verify(file))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("org.example.Json")
                .hasMessageContaining("withJsonb(…)");
        assertThatThrownBy(() -> shop.contracts()
                        .withJsonb(new JsonbConfig()
                                .withPropertyNamingStrategy(PropertyNamingStrategy.LOWER_CASE_WITH_UNDERSCORES))
                        .verify(file))
                .isInstanceOf(AssertionError.class);
        assertThat(file).content().endsWith("  grand_total: integer\n");
    }

    @Test
    void serializerOfTheApplicationMustBeToldWithASampleOfEachEvent() throws IOException {
        CompiledApplication shop = CompiledApplication.inAFolder(
                folder,
                "@OutboxEvent public record Counted(int total) {}",
                "@OutboxEvent public record Drawn(String picture) {}",
                """
                @ApplicationScoped public class Own implements OutboxSerializer {
                    public String contentType(Object event) {
                        return event instanceof Drawn ? "image/svg+xml" : "application/vnd.shop+json";
                    }
                    public OutboxPayload serialize(Object event) {
                        return OutboxPayload.text("{\\"lines\\":[{\\"n\\":1},{\\"n\\":1.5,\\"of\\":null}]}");
                    }
                }
                """);
        OutboxSerializer own = (OutboxSerializer) shop.create("Own");
        Object counted = shop.create("Counted", 1);

        assertThatThrownBy(() -> shop.contracts().verify(file))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("org.example.Own")
                .hasMessageContaining("withSerializer(…)");
        assertThatThrownBy(() -> shop.contracts().withSerializer(own, counted).verify(file))
                .hasMessage("withSerializer(…) has no sample of org.example.Drawn.");
        assertThatThrownBy(() -> shop.contracts()
                        .withSerializer(own, counted, "no event")
                        .verify(file))
                .hasMessageStartingWith("The sample no event is no event.");
        assertThatThrownBy(() -> shop.contracts()
                        .withSerializer(own, counted, shop.create("Drawn", "a circle"))
                        .verify(file))
                .isInstanceOf(AssertionError.class);
        assertThat(file).content().endsWith("""

                Counted 1
                  lines[].n: integer or number
                  lines[].of: null

                Drawn 1
                  (payload): text, image/svg+xml
                """);
    }

    @Test
    void applicationWithoutEventsIsAMistake() {
        assertThatThrownBy(() -> verify("public record Counted(int total) {}"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no class and no injection point has @OutboxEvent");
        assertThatThrownBy(() -> EventContracts.of(String.class)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void eventsAreFoundInAJarToo() throws IOException {
        CompiledApplication jar =
                CompiledApplication.inAJar(folder, "@OutboxEvent public record Counted(int total) {}");

        assertThatThrownBy(() -> jar.contracts().verify(file)).hasMessageContaining("  Counted 1 is new\n");
    }

    private EventContracts contracts(String... types) throws IOException {
        return CompiledApplication.inAFolder(folder, types).contracts();
    }

    private void verify(String... types) throws IOException {
        contracts(types).verify(file);
    }

    /** Lets the file have these events. */
    private void accept(String... types) throws IOException {
        assertThatThrownBy(() -> verify(types)).isInstanceOf(AssertionError.class);
        verify(types);
    }
}
