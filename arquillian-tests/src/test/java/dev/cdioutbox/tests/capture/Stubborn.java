package dev.cdioutbox.tests.capture;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Makes the serializer fail in the way that the token names. */
@OutboxEvent(type = "capture.stubborn")
public record Stubborn(@OutboxKey String key, String token) {
    static final String CHECKED = "a checked exception";
    static final String ERROR = "an error";
}
