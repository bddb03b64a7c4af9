package dev.cdioutbox.testing;

import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.adapter.JsonbAdapter;
import jakarta.json.bind.annotation.JsonbDateFormat;
import jakarta.json.bind.annotation.JsonbNillable;
import jakarta.json.bind.annotation.JsonbNumberFormat;
import jakarta.json.bind.annotation.JsonbProperty;
import jakarta.json.bind.annotation.JsonbTypeAdapter;
import jakarta.json.bind.annotation.JsonbTypeInfo;
import jakarta.json.bind.annotation.JsonbTypeSerializer;
import jakarta.json.bind.config.BinaryDataStrategy;
import jakarta.json.bind.serializer.JsonbSerializer;

import dev.cdioutbox.testing.Shape.Place;
import dev.cdioutbox.testing.Shape.Value;

/**
 * Finds out from a class what JSON-B writes of its objects. JSON-B can be asked about an object only, and an object does not
 * show what is null in it, or empty. So this class has the rules of Jakarta JSON Binding 3.0, chapters 3 and 4; its test compares it
 * with what Yasson writes.
 */
final class JsonbShapes {

    /** With their subclasses. */
    private static final Map<Class<?>, Value> SIMPLE = new HashMap<>();

    private static final Set<Class<?>> DATES = Set.of(
            Calendar.class,
            Date.class,
            Instant.class,
            LocalDate.class,
            LocalDateTime.class,
            LocalTime.class,
            MonthDay.class,
            OffsetDateTime.class,
            OffsetTime.class,
            YearMonth.class,
            ZonedDateTime.class);

    static {
        put(Shape.BOOLEAN, boolean.class, Boolean.class);
        put(Shape.INTEGER, byte.class, short.class, int.class, long.class);
        put(Shape.INTEGER, Byte.class, Short.class, Integer.class, Long.class, BigInteger.class);
        put(Shape.INTEGER, OptionalInt.class, OptionalLong.class);
        put(Shape.NUMBER, float.class, double.class, Number.class, OptionalDouble.class, JsonNumber.class);
        put(Shape.STRING, String.class, char.class, Character.class, JsonString.class);
        put(Shape.STRING, Path.class, TimeZone.class, ZoneId.class);
        put(Value.string("date"), LocalDate.class);
        put(Value.string("date-time"), Instant.class, OffsetDateTime.class);
        put(Value.string("date-time with zone"), Calendar.class, Date.class, ZonedDateTime.class);
        put(Value.string("date-time without offset"), LocalDateTime.class);
        put(Value.string("duration"), Duration.class, Period.class);
        put(Value.string("month and day"), MonthDay.class);
        put(Value.string("time"), OffsetTime.class);
        put(Value.string("time without offset"), LocalTime.class);
        put(Value.string("uri"), URI.class, URL.class);
        put(Value.string("uuid"), UUID.class);
        put(Value.string("year and month"), YearMonth.class);
    }

    private static void put(Value value, Class<?>... types) {
        Stream.of(types).forEach(type -> SIMPLE.put(type, value));
    }

    private final JsonbConfig config;
    private final JsonbProperties properties;
    private final Function<Class<?>, Collection<Class<?>>> subclasses;

    /** @param subclasses finds the classes below one that may be the class of a value, without abstract ones */
    JsonbShapes(JsonbConfig config, Function<Class<?>, Collection<Class<?>>> subclasses) {
        this.config = config;
        this.properties = new JsonbProperties(config);
        this.subclasses = subclasses;
    }

    /** The shape of the payload of an event of exactly this class. */
    Shape of(Class<?> fired) {
        return shape(BoundType.of(fired), Member.NONE, Place.PAYLOAD, Map.of());
    }

    /** Where a value comes from: what is annotated for it, and the class that has it. */
    private record Member(Annotated own, Annotated owner) {
        static final Member NONE = new Member(Annotated.NOTHING, Annotated.NOTHING);

        <A extends Annotation> Optional<A> find(Class<A> annotation) {
            return own.find(annotation).or(() -> owner.find(annotation));
        }
    }

    /** @param around the places of the objects around the value, which it may repeat */
    private Shape shape(BoundType type, Member member, Place place, Map<BoundType, Place> around) {
        Class<?> raw = type.raw();
        Optional<Class<?>> serializer = serializer(raw, member);
        if (serializer.isPresent()) {
            return Value.any("written by " + serializer.get().getSimpleName());
        }
        Optional<BoundType> adapted = adapted(raw, member).filter(other -> !other.equals(type));
        if (adapted.isPresent()) {
            return shape(adapted.get(), Member.NONE, place, around);
        }
        if (Enum.class.isAssignableFrom(raw)) {
            return Value.oneOf(Stream.of(raw.getFields())
                    .filter(Field::isEnumConstant)
                    .map(Field::getName)
                    .toList());
        }
        return simple(raw, member)
                .map(Shape.class::cast)
                .or(() -> container(type, member, place, around))
                .orElseGet(() -> object(type, place, around));
    }

    private Optional<Class<?>> serializer(Class<?> raw, Member member) {
        return member.own()
                .find(JsonbTypeSerializer.class)
                .or(() -> Annotated.of(raw).find(JsonbTypeSerializer.class))
                .<Class<?>>map(JsonbTypeSerializer::value)
                .or(() -> configured(JsonbConfig.SERIALIZERS, JsonbSerializer.class)
                        .filter(type -> BoundType.of(type)
                                .argumentOf(JsonbSerializer.class, 0)
                                .raw()
                                .isAssignableFrom(raw))
                        .findFirst());
    }

    /** What an adapter makes of a value. */
    private Optional<BoundType> adapted(Class<?> raw, Member member) {
        return member.own()
                .find(JsonbTypeAdapter.class)
                .or(() -> Annotated.of(raw).find(JsonbTypeAdapter.class))
                .<Class<?>>map(JsonbTypeAdapter::value)
                .or(() -> configured(JsonbConfig.ADAPTERS, JsonbAdapter.class)
                        .filter(type -> BoundType.of(type)
                                        .argumentOf(JsonbAdapter.class, 0)
                                        .raw()
                                == raw)
                        .findFirst())
                .map(type -> BoundType.of(type).argumentOf(JsonbAdapter.class, 1));
    }

    private <T> Stream<Class<?>> configured(String property, Class<T> type) {
        return config.getProperty(property).stream()
                .flatMap(all -> Stream.of((Object[]) all))
                .filter(type::isInstance)
                .map(Object::getClass);
    }

    private Optional<Value> simple(Class<?> raw, Member member) {
        return Stream.concat(Annotated.supertypes(raw), Stream.of(raw))
                .filter(SIMPLE::containsKey)
                .findFirst()
                .map(type -> DATES.contains(type)
                        ? date(SIMPLE.get(type), member)
                        : isNumber(SIMPLE.get(type))
                                        && member.find(JsonbNumberFormat.class).isPresent()
                                ? Value.string(member.find(JsonbNumberFormat.class)
                                        .get()
                                        .value())
                                : SIMPLE.get(type));
    }

    private static boolean isNumber(Value value) {
        return value == Shape.INTEGER || value == Shape.NUMBER;
    }

    private Value date(Value byDefault, Member member) {
        String format = member.find(JsonbDateFormat.class)
                .map(JsonbDateFormat::value)
                .or(() -> config.getProperty(JsonbConfig.DATE_FORMAT).map(String.class::cast))
                .orElse(JsonbDateFormat.DEFAULT_FORMAT);
        return switch (format) {
            case JsonbDateFormat.DEFAULT_FORMAT -> byDefault;
            case JsonbDateFormat.TIME_IN_MILLIS -> Shape.INTEGER;
            default -> Value.string(format);
        };
    }

    private Optional<Shape> container(BoundType type, Member member, Place place, Map<BoundType, Place> around) {
        Class<?> raw = type.raw();
        if (raw == byte[].class && !hasNumbersForBytes()) {
            return Optional.of(Value.string("base64"));
        }
        if (raw.isArray()) {
            return Optional.of(new Shape.Items(shape(type.argument(0), member, place.item(), around)));
        }
        if (Collection.class.isAssignableFrom(raw)) {
            return Optional.of(new Shape.Items(shape(type.argument(0), Member.NONE, place.item(), around)));
        }
        if (raw == Optional.class) {
            return Optional.of(shape(type.argument(0), member, place, around));
        }
        if (Map.class.isAssignableFrom(raw)) {
            return Optional.of(map(type, member, place, around));
        }
        if (JsonValue.class.isAssignableFrom(raw)) {
            return Optional.of(
                    raw == JsonObject.class
                            ? new Shape.Entries(Shape.ANY)
                            : raw == JsonArray.class ? new Shape.Items(Shape.ANY) : Shape.ANY);
        }
        return Optional.empty();
    }

    private boolean hasNumbersForBytes() {
        return config.getProperty(JsonbConfig.BINARY_DATA_STRATEGY)
                .map(BinaryDataStrategy.BYTE::equals)
                .orElse(true);
    }

    /** With keys that are no names, it is an array of pairs. */
    private Shape map(BoundType type, Member member, Place place, Map<BoundType, Place> around) {
        Class<?> key = type.argument(0).raw();
        if (key == Object.class
                || Enum.class.isAssignableFrom(key)
                || simple(key, Member.NONE).isPresent()) {
            return new Shape.Entries(shape(type.argument(1), member, place.entry(), around));
        }
        Place pair = place.item();
        SortedMap<String, Shape> fields = new TreeMap<>();
        fields.put("key", shape(type.argument(0), Member.NONE, pair.field("key"), around));
        fields.put("value", shape(type.argument(1), member, pair.field("value"), around));
        return new Shape.Items(new Shape.Fields(fields));
    }

    /** JSON-B writes what the class of the value has, which may be a subclass of the declared one. */
    private Shape object(BoundType type, Place place, Map<BoundType, Place> around) {
        if (around.containsKey(type)) {
            return new Shape.Repeated(around.get(type));
        }
        Map<BoundType, Place> inside = new HashMap<>(around);
        inside.put(type, place);
        Stream<Class<?>> possible = place.equals(Place.PAYLOAD) ? Stream.of(type.raw()) : possible(type.raw());
        return possible.distinct()
                .map(type::below)
                .filter(each -> each.fits(type))
                .map(each -> each.equals(type) ? fields(each, place, inside) : object(each, place, inside))
                .reduce(Shape::merge)
                .orElse(Value.any("of " + type.raw().getSimpleName()));
    }

    private Stream<Class<?>> possible(Class<?> declared) {
        Stream<Class<?>> named = Stream.concat(
                        declared.isSealed() ? Stream.of(declared.getPermittedSubclasses()) : Stream.empty(),
                        Stream.ofNullable(declared.getAnnotation(JsonbTypeInfo.class))
                                .flatMap(info -> Stream.of(info.value()))
                                .map(subtype -> subtype.type()))
                .filter(subtype -> subtype != declared);
        return Stream.of(
                        Stream.of(declared).filter(type -> !Modifier.isAbstract(type.getModifiers())),
                        subclasses.apply(declared).stream(),
                        named.flatMap(this::possible))
                .flatMap(Function.identity());
    }

    private Shape fields(BoundType type, Place place, Map<BoundType, Place> around) {
        Class<?> raw = type.raw();
        if (raw == Object.class) {
            return Shape.ANY;
        }
        SortedMap<String, Shape> fields = new TreeMap<>(aliases(raw));
        Map<TypeVariable<?>, BoundType> variables = type.variables();
        for (JsonbProperties.Property property : properties.of(raw)) {
            Member member = new Member(property.annotated(), Annotated.of(property.owner()));
            BoundType ofProperty = BoundType.of(property.type(), variables);
            Shape shape = shape(ofProperty, member, place.field(property.name()), around);
            boolean mayBeNull = !ofProperty.raw().isPrimitive() && isNullWritten(member);
            fields.put(property.name(), mayBeNull ? Shape.merge(shape, Shape.NULL) : shape);
        }
        return new Shape.Fields(fields);
    }

    /** What tells subclasses apart. */
    private static Map<String, Shape> aliases(Class<?> raw) {
        return Annotated.supertypes(raw)
                .flatMap(type -> Stream.ofNullable(type.getAnnotation(JsonbTypeInfo.class)))
                .flatMap(info -> Stream.of(info.value())
                        .filter(subtype -> subtype.type().isAssignableFrom(raw))
                        .map(subtype -> Map.entry(info.key(), Value.oneOf(List.of(subtype.alias())))))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (nearest, other) -> nearest));
    }

    @SuppressWarnings("deprecation") // nillable(), which applications may still use.
    private boolean isNullWritten(Member member) {
        return member.own()
                .find(JsonbNillable.class)
                .map(JsonbNillable::value)
                .or(() -> member.own().find(JsonbProperty.class).map(JsonbProperty::nillable))
                .or(() -> member.owner().find(JsonbNillable.class).map(JsonbNillable::value))
                .orElseGet(() -> config.getProperty(JsonbConfig.NULL_VALUES).equals(Optional.of(true)));
    }
}
