package dev.cdioutbox.internal.operate.console;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.TestOperations;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Guards that openapi.yaml and docs/api.md describe each operation as the code has it, and each answer as it is written. */
class OpenApiTest {
    private static final Set<String> PROSE = Set.of("description", "summary", "operationId", "example");
    private static final Map<Class<?>, Map<String, Object>> SIMPLE = Map.ofEntries(
            Map.entry(String.class, Map.of("type", "string")),
            Map.entry(OutboxPayload.class, Map.of("type", List.of("string", "null"))),
            Map.entry(UUID.class, Map.of("type", "string", "format", "uuid")),
            Map.entry(Instant.class, Map.of("type", "string", "format", "date-time")),
            Map.entry(Duration.class, Map.of("type", "string", "format", "duration")),
            Map.entry(boolean.class, Map.of("type", "boolean")),
            Map.entry(Boolean.class, Map.of("type", "boolean")),
            Map.entry(int.class, Map.of("type", "integer")),
            Map.entry(Integer.class, Map.of("type", "integer")),
            Map.entry(long.class, Map.of("type", "integer", "format", "int64")),
            Map.entry(Long.class, Map.of("type", "integer", "format", "int64")),
            Map.entry(double.class, Map.of("type", "number")));

    private final Map<String, Object> document = read();
    private final Map<String, Object> schemas = new TreeMap<>();
    private final Map<String, Class<?>> named = new TreeMap<>();

    /** Writes the document as it should be, without its descriptions. */
    @Test
    void documentIsThatOfTheCode() throws IOException {
        Map<String, Object> code = code();
        Path made = Files.writeString(Path.of("target", "openapi.yaml"), new Yaml().dumpAsMap(code));

        assertThat(withoutProse(Map.of("paths", document.get("paths"), "components", document.get("components"))))
                .as("%s says what it should be", made.toAbsolutePath())
                .isEqualTo(code);
    }

    @Test
    void eachOperationParameterAndFieldIsDescribed() {
        Set<Object> ids = new TreeSet<>();
        int operations = 0;
        for (Object methods : in(document, "paths").values()) {
            for (Object operation : object(methods).values()) {
                operations++;
                assertThat(object(operation)).containsKeys("summary", "operationId");
                ids.add(object(operation).get("operationId"));
            }
        }
        assertThat(ids).hasSize(operations);
        assertThat(in(document, "components", "parameters").values())
                .allSatisfy(parameter -> assertThat(object(parameter)).containsKey("description"));
        in(document, "components", "schemas").forEach((schema, described) -> in(object(described), "properties")
                .forEach((field, one) ->
                        assertThat(object(one)).as("%s.%s", schema, field).containsKey("description")));
    }

    /** An action is an operation of its own for whoever reads the document. */
    @Test
    void eachActionIsDescribed() {
        Map<String, Object> action = in(document, "components", "parameters", "action");

        assertThat(action.get("description").toString())
                .contains(Arrays.stream(MessageOperation.values())
                        .map(each -> each.action() + ":")
                        .toList());
    }

    @Test
    void pageHasACommandForEachOperation() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "api.md"));
        List<String> commands =
                page.lines().filter(line -> line.startsWith("curl ")).toList();

        for (ApiOperation<?, ?> operation : ApiOperation.ALL) {
            String address = "\\$api/" + operation.path().replaceAll("\\{\\w+}", "[^/\\\\s]+");
            assertThat(commands)
                    .as("%s %s", operation.method(), operation.path())
                    .anyMatch(command -> command.matches(".*" + address + "[\"?].*")
                            && command.contains("X-Outbox-Console")
                                    == operation.method().equals("POST"));
        }
        assertThat(commands).hasSizeGreaterThanOrEqualTo(ApiOperation.ALL.size());
    }

    /** With the binding of the servlet, on a database with rows of each kind. */
    @Tag("database")
    @Test
    void answersAreAsTheDocumentDescribesThem() {
        try (TestDatabase database = new TestDatabase()) {
            JdbcOutboxStore store = database.open(4);
            store.nodes().writeHeartbeat(new ThisNode("node-1", "shop", "host", "server", 1, "1.0"), 0);
            store.capture().write(keyed("a", "b", "c"));
            database.update("UPDATE shop_message SET headers = 'no json' WHERE payload = 'c'");
            database.update(
                    "UPDATE shop_message SET created_at = DATEADD(HOUR, -1, CURRENT_TIMESTAMP) WHERE payload = 'a'");
            ConsoleApi api = api(store);
            String[] ids = database.query("SELECT message_id FROM shop_message ORDER BY seq")
                    .toArray(String[]::new);

            api.operations.backfill("audit", "default", Set.of("OrderPlaced"), Instant.EPOCH);
            JsonObject state = answer(api, "GET", "state");
            assertThat(state.getJsonObject("stuck")).isNotNull();
            assertThat(state.getJsonObject("destinations")
                            .getJsonObject("audit")
                            .getJsonObject("backfill")
                            .getBoolean("running"))
                    .isTrue();
            assertThat(answer(api, "POST", "cancel-backfill", "destination", "audit")
                            .getInt("changed"))
                    .isEqualTo(1);
            assertThat(answer(api, "POST", "pause", "destination", "default").getInt("changed"))
                    .isEqualTo(1);
            assertThat(answer(api, "POST", "resume", "destination", "default").getInt("changed"))
                    .isEqualTo(1);
            assertThat(answer(api, "POST", "messages/" + ids[1] + "/discard").getInt("changed"))
                    .isEqualTo(1);
            database.rename("shop_queue", "attempts", "tries");
            assertThat(answer(api, "GET", "diagnosis").getJsonArray("findings")).isNotEmpty();
            database.rename("shop_queue", "tries", "attempts");
            JsonObject page = answer(api, "GET", "messages");
            assertThat(page.getJsonArray("messages")).hasSize(2);
            assertThat(page.getJsonArray("unreadable")).hasSize(1);
            assertThat(answer(api, "GET", "messages/" + ids[1]).getJsonArray("audit"))
                    .hasSize(1);
            answer(api, "GET", "messages/" + ids[2]);
            String below = answer(api, "GET", "changes/discard").get("below").toString();
            answer(api, "POST", "changes/discard", "below", below);
            assertThat(answer(api, "GET", "audit").getJsonArray("entries")).hasSize(6);
        }
    }

    private static ConsoleApi api(JdbcOutboxStore store) {
        TestOperations operations = new TestOperations(store);
        ConsoleApi api = new ConsoleApi();
        api.operations = operations;
        api.outboxes = operations.outboxes();
        api.gauges = new Gauges();
        api.throughput = new ThroughputHistory();
        api.throughput.gauges = api.gauges;
        api.throughput.outboxes = api.outboxes;
        api.throughput.ticked();
        api.consumers = new ConsumerHistory();
        api.traces = new FailureTraces();
        api.masks = new PayloadMasks();
        api.masks.outboxes = api.outboxes;
        api.consumers.failed("shipping", new ConsumedMessage(null, null, null), new IllegalStateException("refused"));
        api.gauges.failed(ofDefaultOutbox("default"), 1, new IllegalStateException("refused"));
        return api;
    }

    private JsonObject answer(ConsoleApi api, String method, String path, String... parameter) {
        return answer(ApiOperation.find(method, path), api, path, parameter);
    }

    @SuppressWarnings("unchecked")
    private <A> JsonObject answer(ApiOperation<?, A> operation, ConsoleApi api, String path, String... parameter) {
        Map<String, String[]> given =
                parameter.length == 0 ? Map.of() : Map.of(parameter[0], new String[] {parameter[1]});
        Object answer = ((ApiOperation<ConsoleApi, A>) operation)
                .handler()
                .apply(api, operation.request("operator", Role.OPERATOR, path, given));
        JsonObject json = Json.createReader(
                        new StringReader(ConsoleServlet.binding().toJson(answer)))
                .readObject();
        assertFits(path, json, ref(schemaName(operation.answer())));
        return json;
    }

    /** Each field that the document names is there, and no other one. */
    private void assertFits(String where, JsonValue value, Map<String, Object> schema) {
        if (schema.containsKey("anyOf")) {
            if (value != JsonValue.NULL) {
                assertFits(where, value, object(((List<?>) schema.get("anyOf")).get(0)));
            }
        } else if (schema.containsKey("$ref")) {
            String name = schema.get("$ref").toString().replaceAll(".*/", "");
            assertFits(
                    where + " " + name,
                    value,
                    object(in(document, "components", "schemas").get(name)));
        } else if (schema.containsKey("properties")) {
            Map<String, Object> properties = in(schema, "properties");
            assertThat(value.asJsonObject().keySet()).as(where).isEqualTo(properties.keySet());
            value.asJsonObject()
                    .forEach((name, each) -> assertFits(where + "." + name, each, object(properties.get(name))));
        } else if (schema.containsKey("additionalProperties")) {
            value.asJsonObject().forEach((name, each) -> assertFits(where, each, in(schema, "additionalProperties")));
        } else if (schema.containsKey("items")) {
            assertThat(value).as(where).isInstanceOf(JsonArray.class);
            value.asJsonArray().forEach(each -> assertFits(where, each, in(schema, "items")));
        } else {
            assertThat(schema.get("type").toString()).as("%s: %s", where, value).contains(typeOf(value));
        }
    }

    private static String typeOf(JsonValue value) {
        return switch (value.getValueType()) {
            case STRING -> "string";
            case NUMBER -> value.toString().contains(".") ? "number" : "integer";
            case TRUE, FALSE -> "boolean";
            default -> "null";
        };
    }

    /** The document without its descriptions. */
    private Map<String, Object> code() {
        Map<String, Object> paths = new TreeMap<>();
        Map<String, Object> parameters = new TreeMap<>();
        parameters.put(
                "X-Outbox-Console",
                Map.of(
                        "name",
                        "X-Outbox-Console",
                        "in",
                        "header",
                        "required",
                        true,
                        "schema",
                        Map.of("type", "string")));
        for (ApiOperation<?, ?> operation : ApiOperation.ALL) {
            object(paths.computeIfAbsent("/" + operation.path(), path -> new TreeMap<>()))
                    .put(operation.method().equals("GET") ? "get" : "post", operation(operation));
            operation.parameters().stream()
                    .filter(parameter -> !parameter.isRequired())
                    .forEach(parameter -> parameters.put(parameter.name(), parameter(operation, parameter)));
        }
        Map<String, Object> failed = content(schema(ConsoleServlet.ErrorAnswer.class));
        return Map.of(
                "paths",
                paths,
                "components",
                Map.of(
                        "parameters",
                        parameters,
                        "responses",
                        Map.of("Error", failed),
                        "schemas",
                        schemas,
                        "securitySchemes",
                        Map.of("basic", Map.of("type", "http", "scheme", "basic"))));
    }

    private Map<String, Object> operation(ApiOperation<?, ?> operation) {
        List<Object> parameters = new ArrayList<>();
        operation
                .parameters()
                .forEach(parameter -> parameters.add(
                        parameter.isRequired()
                                ? parameter(operation, parameter)
                                : Map.of("$ref", "#/components/parameters/" + parameter.name())));
        if (operation.method().equals("POST")) {
            parameters.add(Map.of("$ref", "#/components/parameters/X-Outbox-Console"));
        }
        return Map.of(
                "security",
                List.of(Map.of("basic", List.of(operation.role().label()))),
                "parameters",
                parameters,
                "responses",
                Map.of(
                        "200",
                        operation.answer() == ConsoleServlet.Download.class
                                ? content("application/octet-stream", Map.of("type", "string", "format", "binary"))
                                : content(schema(operation.answer())),
                        "default",
                        Map.of("$ref", "#/components/responses/Error")));
    }

    private static Map<String, Object> content(Map<String, Object> schema) {
        return content("application/json", schema);
    }

    private static Map<String, Object> content(String type, Map<String, Object> schema) {
        return Map.of("content", Map.of(type, Map.of("schema", schema)));
    }

    private static Map<String, Object> parameter(ApiOperation<?, ?> operation, Parameter<?> parameter) {
        boolean isInPath = operation.isInPath(parameter);
        Map<String, Object> described = new TreeMap<>(
                Map.of("name", parameter.name(), "in", isInPath ? "path" : "query", "schema", schemaOf(parameter)));
        if (isInPath || parameter.isRequired()) {
            described.put("required", true);
        }
        if (parameter.role() != Role.VIEWER) {
            described.put("x-role", parameter.role().label());
        }
        return described;
    }

    private static Map<String, Object> schemaOf(Parameter<?> parameter) {
        Map<String, Object> one = parameter.type() == OutboxStatus.class
                ? enumeration(Arrays.stream(OutboxStatus.values()).map(Enum::name))
                : parameter.type() == MessageOperation.class
                        ? enumeration(Arrays.stream(MessageOperation.values()).map(MessageOperation::action))
                        : SIMPLE.get(parameter.type());
        return parameter.isRepeatable() ? Map.of("type", "array", "items", one) : one;
    }

    private static Map<String, Object> enumeration(Stream<String> values) {
        return Map.of("type", "string", "enum", values.toList());
    }

    private Map<String, Object> schema(AnnotatedType type) {
        Map<String, Object> schema = new TreeMap<>(schemaOf(type));
        if (!type.isAnnotationPresent(Nullable.class)) {
            return schema;
        }
        if (schema.containsKey("$ref")) {
            return Map.of("anyOf", List.of(schema, Map.of("type", "null")));
        }
        schema.put("type", List.of(schema.get("type"), "null"));
        return schema;
    }

    private Map<String, Object> schemaOf(AnnotatedType type) {
        if (!(type instanceof AnnotatedParameterizedType generic)) {
            return schema((Class<?>) type.getType());
        }
        AnnotatedType[] arguments = generic.getAnnotatedActualTypeArguments();
        Map<String, Object> last = schema(arguments[arguments.length - 1]);
        return Collection.class.isAssignableFrom((Class<?>) ((ParameterizedType) type.getType()).getRawType())
                ? Map.of("type", "array", "items", last)
                : Map.of("type", "object", "additionalProperties", last);
    }

    private Map<String, Object> schema(Class<?> type) {
        if (SIMPLE.containsKey(type)) {
            return SIMPLE.get(type);
        }
        if (type.isEnum()) {
            return enumeration(Arrays.stream(type.getEnumConstants()).map(Object::toString));
        }
        String name = schemaName(type);
        assertThat(named.computeIfAbsent(name, first -> type))
                .as("two types named %s", name)
                .isEqualTo(type);
        if (!schemas.containsKey(name)) {
            Map<String, Object> fields = new TreeMap<>();
            schemas.put(name, Map.of("type", "object", "required", new ArrayList<>(), "properties", fields));
            accessors(type).forEach(field -> fields.put(fieldName(field), schema(field.getAnnotatedReturnType())));
            schemas.put(name, Map.of("type", "object", "required", List.copyOf(fields.keySet()), "properties", fields));
        }
        return ref(name);
    }

    private static Map<String, Object> ref(String schema) {
        return Map.of("$ref", "#/components/schemas/" + schema);
    }

    private static String schemaName(Class<?> type) {
        return type.getSimpleName().replaceAll("^Outbox|View$", "");
    }

    /** The components of a record; the methods of an interface that records implement by them, or that begin with "is". */
    private static Stream<Method> accessors(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.getParameterCount() == 0 && !Modifier.isStatic(method.getModifiers()))
                .filter(method -> type.isInterface()
                        ? Modifier.isAbstract(method.getModifiers())
                                || !fieldName(method).equals(method.getName())
                        : Arrays.stream(type.getRecordComponents())
                                .anyMatch(component -> component.getAccessor().equals(method)));
    }

    private static String fieldName(Method accessor) {
        String name = accessor.getName();
        return name.matches("is[A-Z].*") ? name.substring(2, 3).toLowerCase(Locale.ROOT) + name.substring(3) : name;
    }

    private static Object withoutProse(Object node) {
        if (node instanceof List<?> list) {
            return list.stream().map(OpenApiTest::withoutProse).toList();
        }
        if (!(node instanceof Map<?, ?>)) {
            return node;
        }
        Map<String, Object> kept = new TreeMap<>();
        object(node).forEach((name, value) -> {
            // A field may have the name of a keyword, but then it has a schema.
            if (!PROSE.contains(name) || value instanceof Map<?, ?>) {
                kept.put(name, withoutProse(value));
            }
        });
        return kept;
    }

    private static Map<String, Object> read() {
        try (InputStream document = ConsoleServlet.class.getResourceAsStream("page/openapi.yaml")) {
            return new Yaml().load(document);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object node) {
        return (Map<String, Object>) node;
    }

    private static Map<String, Object> in(Map<String, Object> map, String... path) {
        Map<String, Object> inner = map;
        for (String name : path) {
            inner = object(inner.get(name));
        }
        return inner;
    }

    /** A client that knows a code finds it in the table of the page. */
    @Test
    void pageNamesTheCodesOfRefusals() throws IOException {
        assertThat(Files.readString(Path.of("..", "docs", "api.md")))
                .contains(OutboxCode.REQUEST_REFUSED.code(), OutboxCode.CONSOLE_FAILED.code());
    }
}
