package dev.cdioutbox.tests.crash;

import java.util.List;
import java.util.Map;

/** A delivery guarantee of the engine under test, and the configuration that selects it. */
enum Mode {
    EXACTLY_ONCE(Map.of("outbox.dispatcher.delivery", "exactly-once")),
    AT_LEAST_ONCE(Map.of("outbox.dispatcher.delivery", "at-least-once")),
    /** At least once, with partitions claimed by lease. Five seconds is the shortest lease that the configuration allows. */
    LEASE(Map.of(
            "outbox.dispatcher.delivery", "at-least-once",
            "outbox.dispatcher.lease", "PT5S")),
    /** Exactly once into Kafka, whose transactions end sooner than a suspension. */
    MARKER(Map.of(
            "outbox.dispatcher.delivery", "exactly-once",
            "outbox.transport", "kafka",
            "outbox.kafka.transaction.timeout.ms", "8000")),
    /** Exactly once by a handler, whatever the configuration says of the delivery. */
    HANDLER(Map.of(
            "outbox.dispatcher.delivery", "at-least-once",
            "outbox.routes.*", "local")),
    /** Exactly once by a handler of what the nodes receive, although it is sent to them at least once. */
    INBOX(Map.of("outbox.dispatcher.delivery", "at-least-once"));

    private final Map<String, String> configuration;

    Mode(Map<String, String> configuration) {
        this.configuration = configuration;
    }

    boolean isExactlyOnce() {
        return this == EXACTLY_ONCE || this == MARKER || this == HANDLER || this == INBOX;
    }

    /** Whether a message and its settlement are committed together, so that a discarded message never arrives. */
    boolean isOneTransaction() {
        return this == EXACTLY_ONCE || this == HANDLER;
    }

    /** The destination whose messages take effect. */
    String destination() {
        return this == INBOX ? InboxReceiver.HANDLER : "default";
    }

    /** The handlers of a node by their destinations, and the types of the events that they get without a broker. */
    Map<String, List<String>> handlers() {
        return switch (this) {
            case HANDLER -> Map.of(destination(), List.of("*"));
            case INBOX -> Map.of(destination(), List.of());
            case EXACTLY_ONCE, AT_LEAST_ONCE, LEASE, MARKER -> Map.of();
        };
    }

    Map<String, String> configuration() {
        return configuration;
    }
}
