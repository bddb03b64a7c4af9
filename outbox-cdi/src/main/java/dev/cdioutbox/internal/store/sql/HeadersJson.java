package dev.cdioutbox.internal.store.sql;

import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.Map;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;

/** The stored form of headers: one JSON object of strings, or null for none. */
final class HeadersJson {
    private HeadersJson() {}

    static String write(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return null;
        }
        JsonObjectBuilder json = Json.createObjectBuilder();
        headers.forEach(json::add);
        return json.build().toString();
    }

    static Map<String, String> read(String column) {
        if (column == null) {
            return Map.of();
        }
        try (JsonReader reader = Json.createReader(new StringReader(column))) {
            JsonObject json = reader.readObject();
            Map<String, String> headers = new LinkedHashMap<>();
            json.keySet().forEach(name -> headers.put(name, json.getString(name)));
            return headers;
        }
    }
}
