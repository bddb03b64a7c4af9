package dev.cdioutbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import jakarta.json.JsonStructure;
import jakarta.json.JsonValue;

import dev.cdioutbox.OutboxException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guards that the description of the events is AsyncAPI 3.0, and says where each of them goes and what it has. */
class AsyncApiTest {
    private static final Path FRAGMENTS = Path.of("..", "liberty-config", "src", "main", "cdi-outbox");

    private static final String[] SHOP = {
        """
        @OutboxEvent(version = 2, aggregateType = "Order")
        public record OrderPlaced(@OutboxKey String id, List<Line> lines, Status status) {
            public record Line(String item, @JsonbProperty("a/b ~ü") List<Line> parts) {}
            public enum Status { NEW, PAID }
        }
        """,
        "@OutboxEvent(type = \"stock counted/ä\") public record StockCounted(Optional<Instant> at, Object more) {}",
        """
        @OutboxEvent(destination = {"partner", "news", "parcels"})
        public record PriceChanged(String article, @JsonbProperty(nillable = true) BigDecimal price) {}
        """,
        "@OutboxEvent(destination = \"local\") public record Remembered(String id) {}",
        "public class Memory { @OutboxHandler(\"memory\") void remember(Remembered event) {} }",
    };

    private static final String SERVER_XML = """
            <server>
              <include location="cdi-outbox/embedded.xml" />
              <include location="absent.xml" optional="true" />
              <variable name="environment" defaultValue="test" />
              <variable name="outbox.routes.stock*" value="orders, default" />
              <variable name="outbox.destinations.orders.transport" value="kafka" />
              <variable name="outbox.destinations.orders.topic" value="${environment}.orders" />
              <variable name="outbox.kafka.bootstrap.servers" value="localhost:9092" />
              <variable name="outbox.destinations.partner.jndi" value="jms/partner" />
              <variable name="outbox.destinations.partner.external" value="true" />
              <variable name="outbox.destinations.news.jndi" value="jms/news" />
              <variable name="outbox.destinations.news.dead-letter" value="default" />
              <variable name="outbox.destinations.memory.retry.max-attempts" value="60" />
              <jmsTopic jndiName="jms/news">
                <properties.activemq PhysicalName="${environment}.news" />
              </jmsTopic>
              <webApplication location="shop.war">
                <appProperties>
                  <property name="outbox.destinations.parcels.transport" value="parcels" />
                </appProperties>
              </webApplication>
            </server>
            """;

    @TempDir
    Path folder;

    private Path serverXml;

    /** As the build of an application does, which unpacks the fragments beside its server.xml. */
    @BeforeEach
    void writeTheConfiguration() throws IOException {
        Path fragments = Files.createDirectories(folder.resolve("cdi-outbox"));
        try (DirectoryStream<Path> all = Files.newDirectoryStream(FRAGMENTS, "*.xml")) {
            for (Path fragment : all) {
                Files.copy(fragment, fragments.resolve(fragment.getFileName()));
            }
        }
        serverXml = Files.writeString(folder.resolve("server.xml"), SERVER_XML);
    }

    /** Asks AsyncAPI's own parser, which also knows the bindings. This needs Node, and npm, which fetches the parser. */
    @Tag("full")
    @Test
    void descriptionIsValid() throws IOException, InterruptedException {
        Path cloudEvents = Files.writeString(folder.resolve("more.properties"), "outbox.jms.cloudevents=true\n");
        JsonObject described = described(serverXml, cloudEvents);
        assertThat(problems(described)).isEmpty();
        // The parser would find something.
        assertThat(problems(Json.createObjectBuilder(described).remove("info").build()))
                .contains("\"info\"");
    }

    private static String problems(JsonObject document) throws IOException, InterruptedException {
        Path parser = Files.createDirectories(Path.of("target", "asyncapi"));
        run(parser, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "@asyncapi/parser@3.6.6");
        Files.writeString(parser.resolve("document.json"), document.toString());
        Files.writeString(parser.resolve("problems.mjs"), """
                import { readFileSync } from 'node:fs';
                import { Parser } from '@asyncapi/parser';
                const { diagnostics } = await new Parser().parse(readFileSync('document.json', 'utf8'));
                diagnostics.filter(each => each.severity < 2)
                    .forEach(each => console.log(each.path.join('/') + ': ' + each.message));
                """);
        return run(parser, "node", "problems.mjs");
    }

    /** @return what the command prints */
    private static String run(Path folder, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }

    @Test
    void eachReferenceLeadsToSomething() throws IOException {
        JsonObject described = described(serverXml);

        assertThat(references(described))
                .hasSizeGreaterThan(10)
                .allSatisfy(reference -> assertThat(at(described, reference)).isNotNull());
    }

    @Test
    void channelIsADestinationWithItsAddressAndItsMessages() throws IOException {
        JsonObject described = described(serverXml);

        assertThat(at(described, "#/channels").asJsonObject().keySet())
                .containsExactly("default", "news", "orders", "parcels", "partner");
        assertThat(addressOf("default", described)).isEqualTo("outbox");
        assertThat(addressOf("news", described)).isEqualTo("test.news");
        assertThat(addressOf("orders", described)).isEqualTo("test.orders");
        assertThat(addressOf("partner", described)).isEqualTo("jms/partner");
        assertThat(at(described, "#/channels/parcels/address")).isEqualTo(JsonValue.NULL);
        assertThat(messagesOf("default", described))
                .containsExactly("OrderPlaced.2", "PriceChanged.1", "stock_20counted_2f_e4.1");
        assertThat(messagesOf("orders", described)).containsExactly("stock_20counted_2f_e4.1");
        assertThat(at(described, "#/operations/send.orders/action")).hasToString("\"send\"");
    }

    @Test
    void messageHasTheHeadersOfItsTransportAndItsDestination() throws IOException {
        JsonObject described = described(serverXml);

        assertThat(headersOf("default", "OrderPlaced.2", described))
                .contains("schemaVersion", "sequence", "storedAt", "aggregateType")
                .doesNotContain("correlationId", "deadLetterReason");
        assertThat(headersOf("default", "PriceChanged.1", described)).contains("deadLetterReason");
        assertThat(headersOf("orders", "stock_20counted_2f_e4.1", described))
                .contains("sequence", "correlationId")
                .doesNotContain("storedAt", "aggregateType");
        assertThat(headersOf("partner", "PriceChanged.1", described))
                .contains("messageId")
                .doesNotContain("sequence", "tenantId");
        assertThat(at(described, "#/channels/parcels/messages/PriceChanged.1").asJsonObject())
                .doesNotContainKey("headers");
    }

    @Test
    void schemaOfAPayloadIsThatOfItsClass() throws IOException {
        assertThat(at(described(serverXml), "#/components/schemas/OrderPlaced.2"))
                .hasToString("{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
                        + "\"lines\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
                        + "\"a/b ~ü\":{\"type\":\"array\",\"items\":{"
                        + "\"$ref\":\"#/components/schemas/OrderPlaced.2/properties/lines/items\"}},"
                        + "\"item\":{\"type\":\"string\"}}}},"
                        + "\"status\":{\"type\":\"string\",\"enum\":[\"NEW\",\"PAID\"]}}}");
        assertThat(at(described(serverXml), "#/components/schemas/stock_20counted_2f_e4.1/properties"))
                .hasToString("{\"at\":{\"type\":\"string\",\"format\":\"date-time\"},\"more\":{}}");
    }

    @Test
    void whatTheFilesLackIsSaid() {
        assertThatThrownBy(() -> described())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'partner'")
                .hasMessageContaining("outbox.destinations.partner.");
        assertThatThrownBy(() -> described(Files.writeString(
                        folder.resolve("wrong.properties"), "outbox.destinations.partner.external=maybe\n")))
                .isInstanceOf(OutboxException.class)
                .hasMessageContaining("OBX-0201");
        assertThatThrownBy(() -> described(Files.writeString(
                        folder.resolve("without.xml"), "<server><include location=\"absent.xml\" /></server>")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("absent.xml");
    }

    private JsonObject described(Path... configuration) throws IOException {
        Path file = folder.resolve("target/asyncapi.json");
        CompiledApplication.inAFolder(folder, SHOP).contracts().writeAsyncApi(file, "Shop", "1.0", configuration);
        try (JsonReader reader = Json.createReader(Files.newBufferedReader(file))) {
            return reader.readObject();
        }
    }

    private static String addressOf(String channel, JsonObject described) {
        return described.getJsonObject("channels").getJsonObject(channel).getString("address");
    }

    private static Iterable<String> messagesOf(String channel, JsonObject described) {
        return at(described, "#/channels/" + channel + "/messages")
                .asJsonObject()
                .keySet();
    }

    private static Iterable<String> headersOf(String channel, String message, JsonObject described) {
        return at(described, "#/channels/" + channel + "/messages/" + message + "/headers/properties")
                .asJsonObject()
                .keySet();
    }

    private static JsonValue at(JsonStructure document, String reference) {
        return Json.createPointer(URI.create(reference).getFragment()).getValue(document);
    }

    private static Stream<String> references(JsonValue value) {
        return switch (value.getValueType()) {
            case OBJECT ->
                value.asJsonObject().entrySet().stream()
                        .flatMap(field -> field.getKey().equals("$ref")
                                ? Stream.of(((JsonString) field.getValue()).getString())
                                : references(field.getValue()));
            case ARRAY -> value.asJsonArray().stream().flatMap(AsyncApiTest::references);
            default -> Stream.empty();
        };
    }
}
