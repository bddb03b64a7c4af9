package dev.cdioutbox.internal.capture;

import jakarta.json.bind.Jsonb;

import dev.cdioutbox.spi.OutboxSerializer;

/** The default serializer: JSON-B, the application's own or the platform's. */
final class JsonbSerializer implements OutboxSerializer {
    private final Jsonb jsonb;

    JsonbSerializer(Jsonb jsonb) {
        this.jsonb = jsonb;
    }

    @Override
    public String contentType() {
        return "application/json";
    }

    @Override
    public String serialize(Object event) {
        return jsonb.toJson(event);
    }
}
