package dev.cdioutbox.tests.crash;

import java.util.Map;

/** What the engine under test promises, and by which configuration. */
enum Mode {
    EXACTLY_ONCE(Map.of("outbox.dispatcher.delivery", "exactly-once")),
    AT_LEAST_ONCE(Map.of("outbox.dispatcher.delivery", "at-least-once")),
    /** At least once, with partitions claimed by lease. Five seconds is the shortest lease that the configuration allows. */
    LEASE(Map.of(
            "outbox.dispatcher.delivery", "at-least-once",
            "outbox.dispatcher.claim", "lease",
            "outbox.dispatcher.lease", "PT5S"));

    private final Map<String, String> configuration;

    Mode(Map<String, String> configuration) {
        this.configuration = configuration;
    }

    Map<String, String> configuration() {
        return configuration;
    }
}
