package dev.cdioutbox.internal.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Configurations from a few properties, with defaults for everything else. */
public final class TestConfig {
    static final String MODULE = "shop";

    private TestConfig() {}

    /** @param keysAndValues a key, its value, the next key, and so on */
    public static OutboxConfig of(String... keysAndValues) {
        return reader(keysAndValues).read();
    }

    /** The configuration of an outbox with a name, from keys that are spelled like those of the default outbox. */
    public static OutboxConfig ofOutbox(String outbox, String... keysAndValues) {
        return ofOutbox(outbox, Map.of(), keysAndValues);
    }

    /** The same with handlers, and the event types of each. */
    public static OutboxConfig ofOutbox(String outbox, Map<String, List<String>> handlers, String... keysAndValues) {
        Map<String, String> properties = properties(keysAndValues);
        properties.put("outbox.outboxes." + outbox + ".datasource", "jdbc/" + outbox);
        return of(outbox, properties, handlers).read();
    }

    static ConfigReader reader(String... keysAndValues) {
        return of(OutboxConfig.DEFAULT_OUTBOX, properties(keysAndValues));
    }

    private static Map<String, String> properties(String... keysAndValues) {
        Map<String, String> properties = new TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return properties;
    }

    /** With handlers, and the event types of each. */
    public static OutboxConfig withHandlers(Map<String, List<String>> handlers, String... keysAndValues) {
        return of(OutboxConfig.DEFAULT_OUTBOX, properties(keysAndValues), handlers)
                .read();
    }

    /** An application whose events stay inside has one handler, which gets all of them. */
    static ConfigReader of(String outbox, Map<String, String> properties) {
        boolean staysInside = "local".equals(properties.get("outbox.routes.*"));
        return of(outbox, properties, staysInside ? Map.of(OutboxConfig.DEFAULT_DESTINATION, List.of("*")) : Map.of());
    }

    private static ConfigReader of(String outbox, Map<String, String> properties, Map<String, List<String>> handlers) {
        return new ConfigReader(
                new OutboxProperties(outbox, key -> Optional.ofNullable(properties.get(key)), properties.keySet()),
                MODULE,
                handlers);
    }
}
