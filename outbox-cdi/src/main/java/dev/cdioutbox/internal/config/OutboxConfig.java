package dev.cdioutbox.internal.config;

import java.util.List;
import java.util.Map;

/** One immutable and valid snapshot of the configuration. A tick works on one snapshot. */
public record OutboxConfig(
        StoreConfig store,
        CaptureConfig capture,
        Map<String, DestinationConfig> destinations,
        Map<String, List<String>> routes,
        DispatcherConfig dispatcher,
        RetryConfig retry,
        RetentionConfig retention,
        InboxConfig inbox,
        HealthConfig health,
        ConsoleConfig console) {

    public static final String DEFAULT_DESTINATION = "default";

    public OutboxConfig {
        destinations = Map.copyOf(destinations);
        routes = Map.copyOf(routes);
    }

    /** With what cannot change while the application runs taken from the snapshot it started with. */
    OutboxConfig in(OutboxConfig start) {
        return new OutboxConfig(
                start.store(),
                start.capture(),
                destinations,
                start.routes(),
                dispatcher,
                retry,
                retention,
                inbox,
                health,
                start.console());
    }

    /** Where an event type goes if its annotation does not say. */
    public List<String> route(String eventType) {
        return routes.getOrDefault(eventType, List.of(DEFAULT_DESTINATION));
    }
}
