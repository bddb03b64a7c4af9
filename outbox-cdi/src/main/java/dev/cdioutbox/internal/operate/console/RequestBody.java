package dev.cdioutbox.internal.operate.console;

import java.io.ByteArrayInputStream;
import java.io.IOException;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.servlet.http.HttpServletRequest;

/** The JSON object in a request. */
final class RequestBody {
    private RequestBody() {}

    /** @throws RequestRefusedException if it is none */
    static JsonObject of(HttpServletRequest request, int largest) throws IOException {
        String type = request.getContentType();
        // A form of another site can have any type but this one.
        if (type == null || !type.startsWith("application/json")) {
            throw new RequestRefusedException(415, "Changes are asked for in JSON.");
        }
        byte[] bytes = request.getInputStream().readNBytes(largest + 1);
        if (bytes.length > largest) {
            throw new RequestRefusedException(413, "The request is too large.");
        }
        try (JsonReader reader = Json.createReader(new ByteArrayInputStream(bytes))) {
            return reader.readObject();
        } catch (JsonException malformed) {
            throw RequestRefusedException.badRequest("The request is no JSON object.");
        }
    }
}
