package dev.cdioutbox.internal.config;

import java.util.List;
import java.util.Map;

/**
 * One immutable and valid snapshot of the configuration of one outbox. Each batch works on one snapshot.
 *
 * @param outbox the name of the outbox
 */
public record OutboxConfig(
        String outbox,
        StoreConfig store,
        CaptureConfig capture,
        Map<String, DestinationConfig> destinations,
        Map<String, List<String>> routes,
        DispatcherConfig dispatcher,
        RetryConfig retry,
        RetentionConfig retention,
        InboxConfig inbox,
        HealthConfig health,
        ConsoleConfig console,
        JmsConfig jms) {

    public static final String DEFAULT_DESTINATION = "default";

    public OutboxConfig {
        destinations = Map.copyOf(destinations);
        routes = Map.copyOf(routes);
    }

    /** A copy that takes the parts that need a restart from the snapshot at start. */
    OutboxConfig in(OutboxConfig start) {
        return new OutboxConfig(
                start.outbox(),
                start.store(),
                start.capture(),
                destinations,
                start.routes(),
                dispatcher,
                retry,
                retention,
                inbox,
                health,
                start.console(),
                jms);
    }

    /** The name of a destination that is unique among all outboxes, for metrics, logs and workers. */
    public String label(String destination) {
        return outbox.equals(OutboxKeys.DEFAULT_OUTBOX) ? destination : outbox + "/" + destination;
    }

    /** The destinations of an event type whose annotation names none. */
    public List<String> route(String eventType) {
        return routes.getOrDefault(eventType, List.of(DEFAULT_DESTINATION));
    }
}
