package dev.cdioutbox.tests.crash;

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
            "outbox.routes.*", "local"));

    private final Map<String, String> configuration;

    Mode(Map<String, String> configuration) {
        this.configuration = configuration;
    }

    boolean isExactlyOnce() {
        return this == EXACTLY_ONCE || this == MARKER || this == HANDLER;
    }

    /** Whether a message and its settlement are committed together, so that a discarded message never arrives. */
    boolean isOneTransaction() {
        return this == EXACTLY_ONCE || this == HANDLER;
    }

    Map<String, String> configuration() {
        return configuration;
    }
}
