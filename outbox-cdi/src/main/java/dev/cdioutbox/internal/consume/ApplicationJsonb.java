package dev.cdioutbox.internal.consume;

import jakarta.enterprise.inject.Instance;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;

import dev.cdioutbox.internal.deployment.OptionalBeans;

/** Finds the JSON-B that writes and reads payloads. */
public final class ApplicationJsonb {
    private ApplicationJsonb() {}

    /**
     * The application's own JSON-B or the platform's default.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0207 if the application has more than one
     */
    public static Jsonb of(Instance<Object> beans) {
        return OptionalBeans.atMostOne(beans, Jsonb.class).orElseGet(JsonbBuilder::create);
    }
}
