package dev.cdioutbox.internal.operate;

import java.io.StringReader;
import java.time.Instant;
import java.util.stream.Collectors;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;

/** What an operation was asked to concern, as the audit and the log have it: a JSON object of what the filter names. */
public final class Subject {
    /** So that the column holds all of it; an error's text is the only long thing in a filter. */
    private static final int LONGEST_ERROR = 200;

    private Subject() {}

    static String of(OutboxFilter filter) {
        JsonObjectBuilder json = Json.createObjectBuilder();
        if (!filter.statuses().isEmpty()) {
            json.add(
                    "status",
                    filter.statuses().stream().map(Enum::name).sorted().collect(Collectors.joining(",")));
        }
        add(json, "type", filter.eventType());
        add(json, "key", filter.key());
        add(json, "destination", filter.destination());
        add(json, "from", filter.createdFrom());
        add(json, "before", filter.createdBefore());
        add(json, "error", shortened(filter.error()));
        add(json, "shadowed", filter.shadowed());
        add(json, "afterSequence", filter.afterSequence());
        add(json, "beforeSequence", filter.beforeSequence());
        return json.build().toString();
    }

    /**
     * Tells whether an operation may have concerned a message. What state a message was in then, nobody noted.
     *
     * @param subject what the audit says
     */
    public static boolean mayConcern(String subject, OutboxMessage message) {
        try (JsonReader reader = Json.createReader(new StringReader(subject))) {
            JsonObject json = reader.readObject();
            return is(json, "type", message.event().type())
                    && is(json, "key", message.event().key())
                    && is(json, "destination", message.delivery().destination())
                    && !message.createdAt().isBefore(time(json, "from", Instant.MIN))
                    && message.createdAt().isBefore(time(json, "before", Instant.MAX))
                    && message.sequence() > number(json, "afterSequence", Long.MIN_VALUE)
                    && message.sequence() < number(json, "beforeSequence", Long.MAX_VALUE);
        } catch (JsonException noFilter) {
            // A pause names its destination, and concerns no message.
            return false;
        }
    }

    private static String shortened(String error) {
        return error == null || error.length() <= LONGEST_ERROR ? error : error.substring(0, LONGEST_ERROR);
    }

    private static void add(JsonObjectBuilder json, String name, Object value) {
        if (value instanceof Long number) {
            json.add(name, number);
        } else if (value != null) {
            json.add(name, value.toString());
        }
    }

    private static boolean is(JsonObject json, String name, String value) {
        return !json.containsKey(name) || json.getString(name).equals(value);
    }

    private static Instant time(JsonObject json, String name, Instant fallback) {
        return json.containsKey(name) ? Instant.parse(json.getString(name)) : fallback;
    }

    private static long number(JsonObject json, String name, long fallback) {
        return json.containsKey(name) ? json.getJsonNumber(name).longValue() : fallback;
    }
}
