package dev.cdioutbox.tests.capture;

import java.io.IOException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.spi.OutboxSerializer;

/** Serializes with JSON-B, and fails for {@link Stubborn}. */
@ApplicationScoped
public class PickySerializer implements OutboxSerializer {
    private final Jsonb jsonb = JsonbBuilder.create();

    @Override
    public String contentType(Object event) {
        return "application/json";
    }

    @Override
    public OutboxPayload serialize(Object event) throws Exception {
        if (event instanceof Stubborn stubborn) {
            if (stubborn.token().equals(Stubborn.ERROR)) {
                throw new AssertionError(Stubborn.ERROR);
            }
            throw new IOException(Stubborn.CHECKED);
        }
        return OutboxPayload.text(jsonb.toJson(event));
    }
}
