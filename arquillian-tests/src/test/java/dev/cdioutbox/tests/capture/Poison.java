package dev.cdioutbox.tests.capture;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Can be serialized, but not inserted: see {@link Stored#refusePoison()}. */
@OutboxEvent(type = Poison.TYPE)
public record Poison(@OutboxKey String key, String token) {
    static final String TYPE = "capture.poison";
}
