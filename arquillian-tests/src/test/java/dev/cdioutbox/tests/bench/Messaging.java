package dev.cdioutbox.tests.bench;

import java.time.Duration;

/** The broker of the rows that need a server. */
enum Messaging {
    /** Inside the server. */
    LIBERTY("bench.xml", Duration.ZERO, "Liberty's own messaging, AssuredPersistent"),
    /** A process of its own, on this machine. */
    ACTIVEMQ("bench-activemq.xml", Duration.ofSeconds(1), "ActiveMQ, which syncs its journal at each commit");

    private final String serverXml;
    private final Duration patience;
    private final String conditions;

    Messaging(String serverXml, Duration patience, String conditions) {
        this.serverXml = serverXml;
        this.patience = patience;
        this.conditions = conditions;
    }

    String serverXml() {
        return serverXml;
    }

    /** Returns how long a consumer waits for one more message than it knows of. */
    Duration patience() {
        return patience;
    }

    /** Returns the name of the broker, and how it stores messages. */
    String conditions() {
        return conditions;
    }
}
