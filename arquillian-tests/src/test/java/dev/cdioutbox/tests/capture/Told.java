package dev.cdioutbox.tests.capture;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Its simple name is its type, of anonymous subclasses too. */
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
