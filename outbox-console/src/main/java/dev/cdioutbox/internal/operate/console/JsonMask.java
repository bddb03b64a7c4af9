package dev.cdioutbox.internal.operate.console;

import java.io.StringReader;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.JsonStructure;
import jakarta.json.JsonValue;

/**
 * Masks the values in a JSON text to which pointers lead.
 *
 * @param paths the steps of each pointer; {@code *} leads to each member or element
 */
record JsonMask(List<List<String>> paths) {
    static final String MASKED = "•••";

    private static final String EACH = "*";

    /** @param pointers by RFC 6901, of one step at least */
    static JsonMask of(List<String> pointers) {
        return new JsonMask(pointers.stream()
                .map(pointer -> Arrays.stream(pointer.substring(1).split("/", -1))
                        .map(step -> step.replace("~1", "/").replace("~0", "~"))
                        .toList())
                .toList());
    }

    /** Never a part of the text itself, which may have a member twice. Empty if the text is no JSON object or array. */
    Optional<String> masked(String text) {
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            JsonStructure read = reader.read();
            return Optional.of(masked(read, paths).toString());
        } catch (RuntimeException | StackOverflowError noJson) {
            // Not only JsonException: Parsson refuses deep nesting with another one, and Johnzon may not refuse it.
            return Optional.empty();
        }
    }

    private static JsonValue masked(JsonValue value, List<List<String>> paths) {
        if (paths.stream().anyMatch(List::isEmpty)) {
            return Json.createValue(MASKED);
        }
        if (paths.isEmpty()) {
            return value;
        }
        return switch (value.getValueType()) {
            case OBJECT -> {
                JsonObjectBuilder object = Json.createObjectBuilder();
                value.asJsonObject().forEach((name, member) -> object.add(name, masked(member, behind(name, paths))));
                yield object.build();
            }
            case ARRAY -> {
                JsonArrayBuilder array = Json.createArrayBuilder();
                List<JsonValue> elements = value.asJsonArray();
                for (int i = 0; i < elements.size(); i++) {
                    array.add(masked(elements.get(i), behind(String.valueOf(i), paths)));
                }
                yield array.build();
            }
            default -> value;
        };
    }

    /** The rest of the paths that lead to a member or an element. */
    private static List<List<String>> behind(String step, List<List<String>> paths) {
        return paths.stream()
                .filter(path -> path.get(0).equals(step) || path.get(0).equals(EACH))
                .map(path -> path.subList(1, path.size()))
                .toList();
    }
}
