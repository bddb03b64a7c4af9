package dev.cdioutbox.testing;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Produces;
import jakarta.json.Json;
import jakarta.json.JsonReader;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.stream.JsonGenerator;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.spi.OutboxSerializer;
import dev.cdioutbox.testing.EventFinder.Fired;
import dev.cdioutbox.testing.Shape.Value;
import org.jspecify.annotations.Nullable;

/**
 * Guards what consumers rely on: the names and types in the payloads of an application's events. A file in the application's
 * repository has them for each version of an event. A test fails if a payload changes and the version stays:
 *
 * <pre>{@code
 * @Test
 * void payloadsAreThoseThatConsumersKnow() {
 *     EventContracts.of(OrderPlaced.class).verify();
 * }
 * }</pre>
 *
 * <p>The shape of a payload is read from the class of the event, by the rules of JSON-B. An application that has its own
 * {@code Jsonb} or {@link OutboxSerializer} tells this object, or {@link #verify} throws an exception that says so.
 *
 * <p>It also writes a description of all events in AsyncAPI. Immutable.
 */
public final class EventContracts {
    private static final Path FILE = Path.of("src", "test", "resources", "outbox-contracts.txt");

    private final ApplicationClasses classes;
    private final List<Description> descriptions;
    private final @Nullable JsonbConfig jsonb;
    private final @Nullable OutboxSerializer serializer;
    private final List<Object> samples;

    /** What only code says of an event. */
    private record Description(Class<?> eventClass, OutboxEvent event) {}

    private EventContracts(
            ApplicationClasses classes,
            List<Description> descriptions,
            @Nullable JsonbConfig jsonb,
            @Nullable OutboxSerializer serializer,
            List<Object> samples) {
        this.classes = classes;
        this.descriptions = descriptions;
        this.jsonb = jsonb;
        this.serializer = serializer;
        this.samples = samples;
    }

    /**
     * All events of an application: those of the classes with {@link OutboxEvent}, and of the injection points with it.
     *
     * @param some one class for each jar or folder of classes that has events, such as one of the event classes, but not a test class;
     *     not empty
     * @return the contracts of these events; never null
     * @throws IllegalArgumentException if a class is in no jar or folder, as those of the JDK
     */
    public static EventContracts of(Class<?>... some) {
        return new EventContracts(ApplicationClasses.besides(some), List.of(), null, null, List.of());
    }

    /**
     * Adds events that code describes, with {@code select(OutboxEvent.Literal…)} or with an {@code Event<Object>}.
     *
     * @param eventClass the class of the events; not null
     * @param description their description; not null
     * @return the contracts of these events too; never null
     */
    public EventContracts withEvent(Class<?> eventClass, OutboxEvent description) {
        List<Description> more = new ArrayList<>(descriptions);
        more.add(new Description(
                Objects.requireNonNull(eventClass, "eventClass"), Objects.requireNonNull(description, "description")));
        return new EventContracts(classes, List.copyOf(more), jsonb, serializer, samples);
    }

    /**
     * For an application that has its own {@code Jsonb} bean.
     *
     * @param config how the bean is configured; not null
     * @return the contracts of the payloads that it writes; never null
     */
    public EventContracts withJsonb(JsonbConfig config) {
        return new EventContracts(classes, descriptions, Objects.requireNonNull(config, "config"), serializer, samples);
    }

    /**
     * For an application that has its own {@code OutboxSerializer} bean, and not JSON-B. It serializes the samples. The shape of a payload in
     * JSON is that of its sample; of others, such as XML or Avro, only the media type is compared.
     *
     * @param own the serializer; not null
     * @param events one object at least of each class of events, with no property null or empty; none of them null
     * @return the contracts of the payloads that it writes; never null
     */
    public EventContracts withSerializer(OutboxSerializer own, Object... events) {
        return new EventContracts(classes, descriptions, jsonb, Objects.requireNonNull(own, "own"), List.of(events));
    }

    /**
     * Compares the payloads with {@code src/test/resources/outbox-contracts.txt}, as {@link #verify(Path)} does.
     *
     * @throws AssertionError if they differ
     */
    public void verify() {
        verify(FILE);
    }

    /**
     * Compares the payloads with a file. What the file lacks, such as a new event, a new version or a new property, is added to it; then
     * the test fails this once, so that somebody looks at the file and commits it.
     *
     * @param file the file, relative to the folder in which the test runs; not null
     * @throws AssertionError if they differ, with each difference
     * @throws IllegalStateException if the shapes cannot be read without more information, which the message names
     */
    public void verify(Path file) {
        Contract code = contract();
        Contract known = read(file);
        List<String> breaches = known.breaches(code);
        List<String> additions = known.additions(code);
        if (!breaches.isEmpty()) {
            breaches.addAll(additions);
            throw new AssertionError("The payloads are no longer as " + file + " has them:" + lines(breaches)
                    + "Consumers rely on it, and messages that wait have the old payload. Undo the change, or raise the version of"
                    + " the event and first deploy consumers that read both. If nobody relies on what has changed, delete its"
                    + " lines from the file and run the test again.");
        }
        if (!additions.isEmpty()) {
            write(file, known.and(code));
            throw new AssertionError(
                    file.toAbsolutePath() + " has got what it lacked:" + lines(additions)
                            + "Consumers that do not know it can do without it. Look at the file, commit it, and run the test again.");
        }
    }

    private static String lines(List<String> all) {
        return all.stream().map(each -> "\n  " + each).collect(Collectors.joining("", "", "\n"));
    }

    private static Contract read(Path file) {
        try {
            return Contract.parse(Files.exists(file) ? Files.readString(file) : "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, Contract contract) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, contract.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes a description of all events and destinations in AsyncAPI 3.0, as JSON.
     *
     * @param file where to write it, relative to the folder in which the test runs; not null
     * @param title the name of the application; not null
     * @param version the version of the application; not null
     * @param configuration the files with the keys {@code outbox.…}: a {@code server.xml} of Open Liberty, which is read with its
     *     variables, queues and topics, and the files that it includes; or files of properties. A later one goes before an earlier one
     * @throws IllegalStateException if the shapes cannot be read without more information, which the message names
     * @throws IllegalArgumentException if a file does not have what it should, or a destination is not configured
     * @throws dev.cdioutbox.OutboxException OBX-0201 if a value in the configuration is wrong
     */
    public void writeAsyncApi(Path file, String title, String version, Path... configuration) {
        ConfigurationFiles files = new ConfigurationFiles(configuration);
        Set<String> handlers = handlers();
        AsyncApi document = new AsyncApi(files, outbox -> files.config(outbox, handlers), payloads());
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            try (Writer writer = Files.newBufferedWriter(file)) {
                Json.createWriterFactory(Map.of(JsonGenerator.PRETTY_PRINTING, true))
                        .createWriter(writer)
                        .write(document.document(title, version));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Set<String> handlers() {
        return classes.naming(OutboxHandler.class).stream()
                .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .flatMap(method -> Stream.ofNullable(method.getAnnotation(OutboxHandler.class)))
                .map(OutboxHandler::value)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Contract contract() {
        SortedMap<String, Shape> shapes = new TreeMap<>();
        payloads().forEach(payload -> shapes.merge(payload.name(), payload.shape(), Shape::merge));
        SortedMap<String, SortedMap<String, String>> lines = new TreeMap<>();
        shapes.forEach((name, shape) -> lines.put(name, shape.lines()));
        return new Contract(lines);
    }

    /** One for each description of an event, with what each of its classes may have. */
    private Collection<Payload> payloads() {
        EventFinder finder = new EventFinder(classes);
        descriptions.forEach(each -> finder.add(each.eventClass(), each.event()));
        if (finder.found().isEmpty()) {
            throw new IllegalStateException(
                    "Where the given classes are, no class and no injection point has @OutboxEvent."
                            + " Name one of the event classes.");
        }
        if (descriptions.isEmpty() && !finder.describedByCode().isEmpty()) {
            throw new IllegalStateException("Events are described in the code of " + finder.describedByCode()
                    + ", where this object cannot see them. Add withEvent(…) for each.");
        }
        Function<Fired, Payload> reader = serializer == null ? jsonb() : samples(finder.found());
        Map<List<Object>, Payload> payloads = new LinkedHashMap<>();
        for (Fired fired : finder.found()) {
            EventType type = fired.type();
            payloads.merge(
                    List.of(type.name(), type.version(), type.outbox(), type.destinations()),
                    reader.apply(fired),
                    Payload::merge);
        }
        return payloads.values();
    }

    private Function<Fired, Payload> jsonb() {
        if (jsonb == null) {
            List<Class<?>> serializers = classes.concrete()
                    .filter(OutboxSerializer.class::isAssignableFrom)
                    .toList();
            if (!serializers.isEmpty()) {
                throw new IllegalStateException(
                        serializers + " writes the payloads, so the classes of the events do not show their"
                                + " shapes. Add withSerializer(…) with a sample of each event, or withJsonb(new JsonbConfig()) if it is"
                                + " not in use.");
            }
            List<Class<?>> producers = classes.naming(Jsonb.class).stream()
                    .filter(EventContracts::producesJsonb)
                    .toList();
            if (!producers.isEmpty()) {
                throw new IllegalStateException(
                        producers + " produces a Jsonb of its own, whose names and formats may differ. Add"
                                + " withJsonb(…) with its configuration.");
            }
        }
        JsonbShapes shapes = new JsonbShapes(jsonb == null ? new JsonbConfig() : jsonb, classes::concrete);
        return fired -> new Payload(fired.type(), "application/json", shapes.of(fired.eventClass()));
    }

    private static boolean producesJsonb(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                        .anyMatch(method ->
                                method.getReturnType() == Jsonb.class && method.isAnnotationPresent(Produces.class))
                || Stream.of(type.getDeclaredFields())
                        .anyMatch(field -> field.getType() == Jsonb.class && field.isAnnotationPresent(Produces.class));
    }

    private Function<Fired, Payload> samples(List<Fired> found) {
        Set<Class<?>> events = found.stream().map(Fired::eventClass).collect(Collectors.toSet());
        samples.stream()
                .filter(sample -> !events.contains(sample.getClass()))
                .findFirst()
                .ifPresent(sample -> {
                    throw new IllegalStateException("The sample " + sample + " is no event. Add withEvent(…) for it.");
                });
        return fired -> samples.stream()
                .filter(sample -> sample.getClass() == fired.eventClass())
                .map(sample -> serialized(fired.type(), sample))
                .reduce(Payload::merge)
                .orElseThrow(() -> new IllegalStateException("withSerializer(…) has no sample of "
                        + fired.eventClass().getName() + "."));
    }

    private Payload serialized(EventType type, Object sample) {
        String contentType = serializer.contentType(sample);
        OutboxPayload payload;
        try {
            payload = serializer.serialize(sample);
        } catch (Exception e) {
            throw new IllegalStateException(serializer + " cannot serialize the sample " + sample, e);
        }
        if (payload.isBinary() || !Payload.isJson(contentType)) {
            return new Payload(
                    type, contentType, new Value(payload.isBinary() ? "bytes" : "text", contentType, List.of()));
        }
        try (JsonReader reader = Json.createReader(new StringReader(payload.text()))) {
            return new Payload(type, contentType, Shape.of(reader.readValue()));
        }
    }
}
