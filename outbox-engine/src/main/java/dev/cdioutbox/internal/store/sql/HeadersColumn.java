package dev.cdioutbox.internal.store.sql;

import java.io.StringReader;
import java.util.HashMap;
import java.util.Map;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;

import dev.cdioutbox.OutboxMessage;

/** The stored form of headers: one JSON object of strings, with the outbox's own marks. */
public final class HeadersColumn {
    /** The mark of a message for an external destination, among its stored headers: no name of a header has a dot. */
    public static final String EXTERNAL = "outbox.external";

    /** The sequence of a backfilled message's original, among its stored headers. */
    static final String ORIGIN = "origin.sequence";

    private HeadersColumn() {}

    /** Null if there are none. */
    static String json(OutboxMessage.Context context) {
        if (context.headers().isEmpty() && !context.external() && context.originSequence() == null) {
            return null;
        }
        JsonObjectBuilder json = Json.createObjectBuilder();
        context.headers().forEach(json::add);
        if (context.external()) {
            json.add(EXTERNAL, "true");
        }
        if (context.originSequence() != null) {
            json.add(ORIGIN, context.originSequence().toString());
        }
        return json.build().toString();
    }

    /** The headers with the marks, to be changed by the caller. */
    static Map<String, String> read(String column) {
        Map<String, String> headers = new HashMap<>();
        try (JsonReader reader = Json.createReader(new StringReader(column))) {
            JsonObject json = reader.readObject();
            json.keySet().forEach(name -> headers.put(name, json.getString(name)));
            return headers;
        } catch (JsonException | ClassCastException e) {
            throw new IllegalArgumentException(
                    "the column headers is not a JSON object of strings: " + e.getMessage(), e);
        }
    }
}
