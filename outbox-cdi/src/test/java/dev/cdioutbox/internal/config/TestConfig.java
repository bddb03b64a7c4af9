package dev.cdioutbox.internal.config;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Configurations from a few properties; everything else is as by default. */
public final class TestConfig {
    private TestConfig() {}

    /** @param keysAndValues a key, its value, the next key, and so on */
    public static OutboxConfig of(String... keysAndValues) {
        return reader(keysAndValues).read();
    }

    static ConfigReader reader(String... keysAndValues) {
        Map<String, String> properties = new TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return of(OutboxKeys.DEFAULT_OUTBOX, properties);
    }

    static ConfigReader of(String outbox, Map<String, String> properties) {
        return new ConfigReader(
                new OutboxKeys(outbox, key -> Optional.ofNullable(properties.get(key)), properties.keySet()));
    }
}
