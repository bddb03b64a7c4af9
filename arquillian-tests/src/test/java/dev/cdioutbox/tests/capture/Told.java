package dev.cdioutbox.tests.capture;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event without an explicit type, whose simple name is the type; an anonymous subclass keeps the type. */
@OutboxEvent
public class Told {
    private final String key;
    private final String token;

    Told(String key, String token) {
        this.key = key;
        this.token = token;
    }

    @OutboxKey
    public String getKey() {
        return key;
    }

    public String getToken() {
        return token;
    }
}
