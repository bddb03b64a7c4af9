package dev.cdioutbox.testing;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;

import org.jspecify.annotations.Nullable;

/** The names and types of a JSON value, which its readers rely on. Immutable. */
sealed interface Shape {

    Value ANY = new Value("any", null, List.of());
    Value BOOLEAN = new Value("boolean", null, List.of());
    Value INTEGER = new Value("integer", null, List.of());
    Value NULL = new Value("null", null, List.of());
    Value NUMBER = new Value("number", null, List.of());
    Value STRING = new Value("string", null, List.of());

    /**
     * A value without parts.
     *
     * @param format a format of JSON Schema, or words about the value; null for none
     * @param constants the only values of an enum; empty for others
     */
    record Value(String type, @Nullable String format, List<String> constants) implements Shape {

        static Value string(String format) {
            return new Value("string", format, List.of());
        }

        static Value any(String why) {
            return new Value("any", why, List.of());
        }

        static Value oneOf(Collection<String> constants) {
            return new Value("string", null, List.copyOf(new TreeSet<>(constants)));
        }

        private String text() {
            if (!constants.isEmpty()) {
                return ENUM + String.join(OR, constants);
            }
            return format == null ? type : type + ", " + format;
        }

        private JsonObjectBuilder schema() {
            JsonObjectBuilder schema = Json.createObjectBuilder();
            if (!type.equals("any")) {
                schema.add("type", type);
            }
            if (!constants.isEmpty()) {
                schema.add("enum", Json.createArrayBuilder(constants));
            }
            if (format != null) {
                schema.add(FORMATS.contains(format) ? "format" : "description", format);
            }
            return schema;
        }
    }

    /** An object. */
    record Fields(SortedMap<String, Shape> shapes) implements Shape {}

    /** An array. */
    record Items(Shape shape) implements Shape {}

    /** An object whose names are data. */
    record Entries(Shape shape) implements Shape {}

    /** A value of the shape of one around it. */
    record Repeated(Place place) implements Shape {}

    /** A value of one of several shapes. */
    record Either(Set<Shape> shapes) implements Shape {}

    /** Where a value is: for people, and as a JSON pointer within the schema. */
    record Place(String text, String pointer) {
        static final Place PAYLOAD = new Place("", "");

        Place field(String name) {
            String written = name.matches("[\\p{L}\\p{N}_$@-]+")
                    ? name
                    : Json.createValue(name).toString();
            return new Place(
                    text.isEmpty() ? written : text + "." + written,
                    pointer + "/properties/" + name.replace("~", "~0").replace("/", "~1"));
        }

        Place item() {
            return new Place(this + "[]", pointer + "/items");
        }

        Place entry() {
            return new Place(this + "{}", pointer + "/additionalProperties");
        }

        /** The payload itself has a name that no field has. */
        @Override
        public String toString() {
            return text.isEmpty() ? "(payload)" : text;
        }
    }

    String ENUM = "enum ";
    String OR = " | ";

    /** Those of JSON Schema. Everything else is said in words. */
    Set<String> FORMATS = Set.of("date", "date-time", "duration", "time", "uri", "uuid");

    /** A shape that has what each of the two may have. */
    static Shape merge(Shape one, Shape other) {
        if (one instanceof Fields fields && other instanceof Fields more) {
            SortedMap<String, Shape> all = new TreeMap<>(fields.shapes());
            more.shapes().forEach((name, shape) -> all.merge(name, shape, Shape::merge));
            return new Fields(all);
        }
        if (one instanceof Items items && other instanceof Items more) {
            return new Items(merge(items.shape(), more.shape()));
        }
        if (one instanceof Entries entries && other instanceof Entries more) {
            return new Entries(merge(entries.shape(), more.shape()));
        }
        Set<Shape> both = new LinkedHashSet<>(alternatives(one));
        both.addAll(alternatives(other));
        return both.size() == 1 ? one : new Either(both);
    }

    private static Set<Shape> alternatives(Shape shape) {
        return shape instanceof Either either ? either.shapes() : Set.of(shape);
    }

    /** The shape of a value that somebody has written. */
    static Shape of(JsonValue value) {
        return switch (value.getValueType()) {
            case OBJECT ->
                new Fields(value.asJsonObject().entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey,
                                field -> of(field.getValue()),
                                (one, other) -> other,
                                TreeMap::new)));
            case ARRAY -> of((JsonArray) value);
            case STRING -> STRING;
            case NUMBER -> ((JsonNumber) value).isIntegral() ? INTEGER : NUMBER;
            case TRUE, FALSE -> BOOLEAN;
            case NULL -> NULL;
        };
    }

    private static Shape of(JsonArray array) {
        return new Items(array.stream().map(Shape::of).reduce(Shape::merge).orElse(ANY));
    }

    /** A line for each value without parts: its type in words by its place. */
    default SortedMap<String, String> lines() {
        SortedMap<String, Set<String>> types = new TreeMap<>();
        addLines(this, Place.PAYLOAD, types);
        SortedMap<String, String> lines = new TreeMap<>();
        types.forEach((place, each) -> lines.put(place, String.join(" or ", each)));
        return lines;
    }

    private static void addLines(Shape shape, Place place, SortedMap<String, Set<String>> types) {
        if (shape instanceof Fields fields && !fields.shapes().isEmpty()) {
            fields.shapes().forEach((name, field) -> addLines(field, place.field(name), types));
        } else if (shape instanceof Items items) {
            addLines(items.shape(), place.item(), types);
        } else if (shape instanceof Entries entries) {
            addLines(entries.shape(), place.entry(), types);
        } else if (shape instanceof Either either) {
            either.shapes().forEach(each -> addLines(each, place, types));
        } else {
            String type = shape instanceof Value value
                    ? value.text()
                    : shape instanceof Repeated repeated ? "as " + repeated.place() : "object";
            types.computeIfAbsent(place.toString(), any -> new TreeSet<>()).add(type);
        }
    }

    /**
     * The JSON Schema, in which no property is required: JSON-B leaves out those that are null.
     *
     * @param reference makes the reference to a place within the schema of a JSON pointer
     */
    default JsonObject schema(Function<String, String> reference) {
        return builder(this, reference).build();
    }

    private static JsonObjectBuilder builder(Shape shape, Function<String, String> reference) {
        if (shape instanceof Value value) {
            return value.schema();
        }
        JsonObjectBuilder schema = Json.createObjectBuilder();
        if (shape instanceof Repeated repeated) {
            return schema.add("$ref", reference.apply(repeated.place().pointer()));
        }
        if (shape instanceof Either either) {
            JsonArrayBuilder all = Json.createArrayBuilder();
            either.shapes().forEach(each -> all.add(builder(each, reference)));
            return schema.add("anyOf", all);
        }
        if (shape instanceof Items items) {
            return schema.add("type", "array").add("items", builder(items.shape(), reference));
        }
        schema.add("type", "object");
        if (shape instanceof Entries entries) {
            return schema.add("additionalProperties", builder(entries.shape(), reference));
        }
        JsonObjectBuilder properties = Json.createObjectBuilder();
        ((Fields) shape).shapes().forEach((name, field) -> properties.add(name, builder(field, reference)));
        return schema.add("properties", properties);
    }
}
