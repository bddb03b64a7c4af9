package dev.cdioutbox.internal.capture;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;

import dev.cdioutbox.spi.OutboxSerializer;

/** The default serializer: JSON-B as the platform has it. */
final class JsonbSerializer implements OutboxSerializer {
    private final Jsonb jsonb = JsonbBuilder.create();

    @Override
    public String contentType() {
        return "application/json";
    }

    @Override
    public String serialize(Object event) {
        return jsonb.toJson(event);
    }
}
