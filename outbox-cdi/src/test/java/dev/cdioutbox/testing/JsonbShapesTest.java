package dev.cdioutbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.adapter.JsonbAdapter;
import jakarta.json.bind.annotation.JsonbDateFormat;
import jakarta.json.bind.annotation.JsonbNillable;
import jakarta.json.bind.annotation.JsonbNumberFormat;
import jakarta.json.bind.annotation.JsonbProperty;
import jakarta.json.bind.annotation.JsonbSubtype;
import jakarta.json.bind.annotation.JsonbTransient;
import jakarta.json.bind.annotation.JsonbTypeAdapter;
import jakarta.json.bind.annotation.JsonbTypeInfo;
import jakarta.json.bind.annotation.JsonbTypeSerializer;
import jakarta.json.bind.annotation.JsonbVisibility;
import jakarta.json.bind.config.BinaryDataStrategy;
import jakarta.json.bind.config.PropertyNamingStrategy;
import jakarta.json.bind.config.PropertyVisibilityStrategy;
import jakarta.json.bind.serializer.JsonbSerializer;
import jakarta.json.bind.serializer.SerializationContext;
import jakarta.json.stream.JsonGenerator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that the shape that is read from a class is that of the JSON which Yasson writes of its objects. */
public class JsonbShapesTest {

    public record Line(String item, int quantity) {}

    public enum Status {
        NEW,
        PAID {
            @Override
            public String toString() {
                return "paid";
            }
        }
    }

    public record Simple(
            boolean flag,
            Boolean boxed,
            byte tiny,
            short small,
            int number,
            long large,
            BigInteger huge,
            float ratio,
            double share,
            BigDecimal total,
            Number any,
            AtomicInteger counted,
            char letter,
            String text,
            Status status,
            URI link,
            UUID id,
            Instant at,
            LocalDate day,
            LocalDateTime local,
            LocalTime time,
            OffsetDateTime offset,
            ZonedDateTime zoned,
            YearMonth month,
            Date old,
            GregorianCalendar calendar,
            Duration took,
            Period every) {}

    public record Containers(
            List<String> texts,
            Set<Line> lines,
            Line[] array,
            int[][] matrix,
            List<List<Integer>> nested,
            Map<String, Line> byName,
            Map<Status, Integer> byStatus,
            Map<Integer, List<Line>> byNumber,
            Map<Line, Integer> byLine,
            Optional<Line> maybe,
            OptionalInt count,
            byte[] bytes,
            Object anything,
            List<?> whatever,
            List<? extends Line> some) {}

    public static class Base {
        public String open = "open";
        private final String hidden = "hidden";
        private final String read = "read";
        private final transient String fleeting = "fleeting";
        public static final String CONSTANT = "constant";

        @JsonbTransient
        private final String secret = "secret";

        @JsonbProperty("renamedField")
        private final String field = "field";

        public String getRead() {
            return read;
        }

        public String getFleeting() {
            return fleeting;
        }

        public String getSecret() {
            return secret;
        }

        public String getField() {
            return field;
        }

        public boolean isReady() {
            return hidden.isEmpty();
        }

        public String getURLPart() {
            return "path";
        }

        public String issuer() {
            return "a method whose name happens to begin like a getter";
        }

        public static String getStatic() {
            return CONSTANT;
        }

        String getInternal() {
            return "internal";
        }
    }

    public interface Named {
        @JsonbProperty("title")
        String getName();

        default int getLength() {
            return getName().length();
        }
    }

    public static class Child extends Base implements Named {
        public String own = "own";

        @Override
        public String getName() {
            return "name";
        }

        @Override
        @JsonbProperty("overridden")
        public String getRead() {
            return super.getRead();
        }
    }

    public record Computed(String first) {
        public String getSecond() {
            return "a getter in a record";
        }

        public String third() {
            return "no component";
        }
    }

    public static class Box<T> {
        private final T content;

        Box(T content) {
            this.content = content;
        }

        public T getContent() {
            return content;
        }

        public List<T> getContents() {
            return List.of(content);
        }
    }

    public static class LineBox extends Box<Line> {
        LineBox() {
            super(new Line("tea", 1));
        }
    }

    public record Page<T, U>(List<T> items, U last) {}

    public record Book(Page<Line, Map<String, T>> page, Box<Box<Line>> boxes) {
        public record T(int t) {}
    }

    public sealed interface Payment {}

    public record Card(String number) implements Payment {}

    public record Cash(int coins, String number) implements Payment {}

    @JsonbTypeInfo(
            key = "kind",
            value = {@JsonbSubtype(alias = "cat", type = Cat.class), @JsonbSubtype(alias = "dog", type = Dog.class)})
    public interface Animal {}

    public record Cat(boolean indoor) implements Animal {}

    public record Dog(double weight) implements Animal {}

    public record Polymorphic(List<Payment> payments, List<Animal> animals) {}

    @JsonbDateFormat("yyyy")
    public record Formatted(
            LocalDate year,
            @JsonbDateFormat("dd.MM.") LocalDate day,
            @JsonbNumberFormat("0.00") BigDecimal price,
            List<LocalDate> days) {}

    /** A class, since Yasson takes this format for a pattern in a record. */
    public static class Millis {
        @JsonbDateFormat(JsonbDateFormat.TIME_IN_MILLIS)
        public final Instant at = Instant.EPOCH;

        public final Date later = new Date();
    }

    @JsonbTypeAdapter(MoneyAdapter.class)
    public record Money(BigDecimal amount, String currency) {}

    public static class MoneyAdapter implements JsonbAdapter<Money, Map<String, BigDecimal>> {
        @Override
        public Map<String, BigDecimal> adaptToJson(Money money) {
            return Map.of(money.currency(), money.amount());
        }

        @Override
        public Money adaptFromJson(Map<String, BigDecimal> json) {
            throw new UnsupportedOperationException();
        }
    }

    public static class LineAdapter implements JsonbAdapter<Line, String> {
        @Override
        public String adaptToJson(Line line) {
            return line.item();
        }

        @Override
        public Line adaptFromJson(String json) {
            throw new UnsupportedOperationException();
        }
    }

    public record Adapted(
            Money money,
            List<Money> all,
            @JsonbTypeAdapter(LineAdapter.class) Line line,
            Line other) {}

    public static class Fields implements PropertyVisibilityStrategy {
        @Override
        public boolean isVisible(Field field) {
            return true;
        }

        @Override
        public boolean isVisible(Method method) {
            return false;
        }
    }

    @JsonbVisibility(Fields.class)
    public static class OfFields {
        private final String secret = "seen";

        public String getComputed() {
            return secret + " not seen";
        }
    }

    public static class Written implements JsonbSerializer<Line> {
        @Override
        public void serialize(Line line, JsonGenerator generator, SerializationContext context) {
            generator.write(line.quantity());
        }
    }

    public record Custom(@JsonbTypeSerializer(Written.class) Line line, CharSequence text, JsonObject json) {}

    public record Nullable(
            @JsonbNillable String text,
            @JsonbProperty("named") String renamed,
            List<String> other,
            int number) {}

    @JsonbNillable
    public record AllNullable(
            String text,
            @JsonbProperty("named") String renamed,
            @JsonbNillable(false) String never) {}

    public record Node(String name, List<Node> children, Map<String, Node> byName) {}

    private static final Line TEA = new Line("tea", 1);

    static Stream<Object> objects() {
        return Stream.of(
                new Simple(
                        true,
                        true,
                        (byte) 1,
                        (short) 1,
                        1,
                        1,
                        BigInteger.ONE,
                        1.5f,
                        1.5,
                        new BigDecimal("1.5"),
                        1.5,
                        new AtomicInteger(1) {
                            @Override
                            public String toString() {
                                return "1.5";
                            }
                        },
                        'a',
                        "a",
                        Status.PAID,
                        URI.create("a:b"),
                        new UUID(1, 1),
                        Instant.EPOCH,
                        LocalDate.EPOCH,
                        LocalDateTime.of(2026, 1, 1, 0, 0),
                        LocalTime.NOON,
                        OffsetDateTime.now(ZoneOffset.UTC),
                        ZonedDateTime.now(ZoneOffset.UTC),
                        YearMonth.of(2026, 1),
                        new Date(),
                        new GregorianCalendar(),
                        Duration.ZERO,
                        Period.ZERO),
                new Containers(
                        List.of("a"),
                        Set.of(TEA),
                        new Line[] {TEA},
                        new int[][] {{1}},
                        List.of(List.of(1)),
                        Map.of("?", TEA),
                        Map.of(Status.PAID, 1),
                        Map.of(1, List.of(TEA)),
                        Map.of(TEA, 1),
                        Optional.of(TEA),
                        OptionalInt.of(1),
                        new byte[] {1},
                        null,
                        List.of(),
                        List.of(TEA)),
                new Base(),
                new Child(),
                new Computed("a"),
                new LineBox(),
                new Book(new Page<>(List.of(TEA), Map.of("?", new Book.T(1))), new Box<>(new Box<>(TEA))),
                new Polymorphic(List.of(new Card("1"), new Cash(1, "1")), List.of(new Cat(true), new Dog(1.5))),
                new Formatted(LocalDate.EPOCH, LocalDate.EPOCH, new BigDecimal("1.5"), List.of(LocalDate.EPOCH)),
                new Millis(),
                new Adapted(
                        new Money(new BigDecimal("1.5"), "?"),
                        List.of(new Money(new BigDecimal("1.5"), "?")),
                        TEA,
                        TEA),
                new OfFields(),
                Status.PAID);
    }

    @ParameterizedTest
    @MethodSource("objects")
    void shapeOfAClassIsThatOfItsJson(Object object) {
        assertSame(new JsonbConfig(), object);
    }

    static Stream<JsonbConfig> configs() {
        return Stream.concat(
                Stream.of(
                                PropertyNamingStrategy.IDENTITY,
                                PropertyNamingStrategy.CASE_INSENSITIVE,
                                PropertyNamingStrategy.LOWER_CASE_WITH_DASHES,
                                PropertyNamingStrategy.LOWER_CASE_WITH_UNDERSCORES,
                                PropertyNamingStrategy.UPPER_CAMEL_CASE,
                                PropertyNamingStrategy.UPPER_CAMEL_CASE_WITH_SPACES)
                        .map(strategy -> new JsonbConfig().withPropertyNamingStrategy(strategy)),
                Stream.of(
                        new JsonbConfig().withPropertyNamingStrategy(name -> "my" + name),
                        new JsonbConfig().withAdapters(new LineAdapter()),
                        new JsonbConfig().withBinaryDataStrategy(BinaryDataStrategy.BASE_64)));
    }

    @ParameterizedTest
    @MethodSource("configs")
    void shapeFollowsTheConfigurationOfJsonb(JsonbConfig config) {
        objects().filter(object -> !(object instanceof OfFields)).forEach(object -> assertSame(config, object));
    }

    private static void assertSame(JsonbConfig config, Object object) {
        String json = JsonbBuilder.create(config).toJson(object);
        SortedMap<String, String> written = new TreeMap<>();
        try (JsonReader reader = Json.createReader(new StringReader(json))) {
            // The keys of the maps above.
            Shape.of(reader.readValue())
                    .lines()
                    .forEach((place, type) ->
                            written.put(place.replaceAll("\\.(\"\\?\"|PAID|1)(?=[.{\\[]|$)", "{}"), type));
        }
        SortedMap<String, String> read = new TreeMap<>();
        shapes(config)
                .of(object.getClass())
                .lines()
                .forEach((place, type) ->
                        read.put(place, type.startsWith(Shape.ENUM) ? "string" : type.replaceFirst(", .*", "")));

        // What the object does not show.
        read.values().removeIf("any"::equals);
        written.values().removeIf("any"::equals);
        assertThat(read).as(json).isEqualTo(written);
    }

    private static JsonbShapes shapes(JsonbConfig config) {
        ApplicationClasses classes = ApplicationClasses.besides(JsonbShapesTest.class);
        return new JsonbShapes(config, classes::concrete);
    }

    /** Not for all: Yasson cannot read the fields of the JDK. */
    @Test
    void shapeFollowsTheConfiguredVisibility() {
        assertSame(new JsonbConfig().withPropertyVisibilityStrategy(new Fields()), new Child());
    }

    @Test
    void constantsAreThoseThatAreWritten() {
        String written = JsonbBuilder.create().toJson(Status.values());

        assertThat(written).isEqualTo("[\"NEW\",\"PAID\"]");
        assertThat(shapes(new JsonbConfig()).of(Status.class).lines())
                .containsExactly(Map.entry("(payload)", "enum NEW | PAID"));
    }

    @Test
    void placeOfAnObjectThatContainsItselfIsNamed() {
        assertThat(shapes(new JsonbConfig()).of(Node.class).lines())
                .containsExactly(
                        Map.entry("byName{}", "as (payload)"),
                        Map.entry("children[]", "as (payload)"),
                        Map.entry("name", "string"));
    }

    @Test
    void whatCannotBeReadFromTheClassIsSaid() {
        assertThat(shapes(new JsonbConfig()).of(Custom.class).lines())
                .containsExactly(
                        Map.entry("json{}", "any"),
                        Map.entry("line", "any, written by Written"),
                        Map.entry("text", "any, of CharSequence"));
    }

    /** Of objects in which everything is null. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nullIsATypeWhereItIsWritten(boolean byDefault) {
        JsonbConfig config = new JsonbConfig().withNullValues(byDefault);
        for (Object object : List.of(new Nullable(null, null, null, 1), new AllNullable(null, null, null))) {
            Set<String> read = new TreeSet<>();
            shapes(config).of(object.getClass()).lines().forEach((name, type) -> {
                if (type.contains("null")) {
                    read.add(name);
                }
            });

            String json = JsonbBuilder.create(config).toJson(object);
            assertThat(read).as(json).isEqualTo(nullsIn(json));
        }
    }

    private static Set<String> nullsIn(String json) {
        try (JsonReader reader = Json.createReader(new StringReader(json))) {
            return reader.readObject().entrySet().stream()
                    .filter(field -> field.getValue() == JsonValue.NULL)
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        }
    }

    /** A text in another format is unreadable, too. */
    @Test
    void formatsOfTextsArePartOfTheShape() {
        assertThat(shapes(new JsonbConfig()).of(Formatted.class).lines())
                .containsEntry("year", "string, yyyy")
                .containsEntry("price", "string, 0.00")
                .containsEntry("day", "string, dd.MM.")
                .containsEntry("days[]", "string, date");
        assertThat(shapes(new JsonbConfig().withDateFormat("dd.MM.", null))
                        .of(Simple.class)
                        .lines())
                .containsEntry("day", "string, dd.MM.")
                .containsEntry("took", "string, duration");
        assertSame(new JsonbConfig().withDateFormat(JsonbDateFormat.TIME_IN_MILLIS, null), new Millis());
    }
}
