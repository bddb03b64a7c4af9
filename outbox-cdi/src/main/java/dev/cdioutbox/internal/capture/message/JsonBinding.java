package dev.cdioutbox.internal.capture.message;

import jakarta.enterprise.inject.Instance;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;

import dev.cdioutbox.internal.capture.deployment.Beans;

/** Provides JSON-B: the application's own bean or the platform's default. */
public final class JsonBinding {
    private JsonBinding() {}

    /** @throws dev.cdioutbox.OutboxException OBX-0207 if the application has more than one */
    public static Jsonb of(Instance<Object> beans) {
        Jsonb own = Beans.atMostOne(beans, Jsonb.class);
        return own == null ? JsonbBuilder.create() : own;
    }
}
