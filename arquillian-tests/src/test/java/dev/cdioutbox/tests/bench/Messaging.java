package dev.cdioutbox.tests.bench;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The broker of a row. The system property {@code bench.broker} chooses that of the rows that need a server. */
enum Messaging {
    /** Inside the server. All rows are measured with it or without a broker, except for the outage and those of Kafka. */
    LIBERTY(
            EnumSet.complementOf(EnumSet.of(Row.R15, Row.K1, Row.K2, Row.K3)),
            "bench.xml",
            Duration.ZERO,
            "Liberty's own messaging",
            "AssuredPersistent"),
    /** A process of its own, on this machine. */
    ACTIVEMQ(
            EnumSet.of(Row.NOISE, Row.R3, Row.R4, Row.R5, Row.R7, Row.R8, Row.R9, Row.R12, Row.R15, Row.R17),
            "bench-activemq.xml",
            Duration.ofSeconds(1),
            "ActiveMQ",
            "which syncs its journal at each commit"),
    /** In the JVM of the benchmark. Its rows need no server. */
    KAFKA(EnumSet.of(Row.K1, Row.K2, Row.K3), null, Duration.ZERO, "Kafka", "one broker");

    private final Set<Row> rows;
    private final String serverXml;
    private final Duration patience;
    private final String title;
    private final String durability;

    Messaging(Set<Row> rows, String serverXml, Duration patience, String title, String durability) {
        this.rows = rows;
        this.serverXml = serverXml;
        this.patience = patience;
        this.title = title;
        this.durability = durability;
    }

    static Messaging chosen() {
        String name = System.getProperty("bench.broker", LIBERTY.suffix());
        for (Messaging one : values()) {
            if (one.suffix().equals(name)) {
                return one;
            }
        }
        throw new IllegalArgumentException("bench.broker is liberty or activemq, not " + name);
    }

    /** Returns the rows that have a result with this broker. */
    Set<Row> rows() {
        return rows;
    }

    String serverXml() {
        return serverXml;
    }

    /** Returns how long a consumer waits for one more message than it knows of. */
    Duration patience() {
        return patience;
    }

    /** Returns the name of the broker, for people. */
    String title() {
        return title;
    }

    /** Returns the name of the broker, and how it stores messages. */
    String conditions() {
        return title + ", " + durability;
    }

    /** Returns the name of the broker in the property and in the results. */
    String suffix() {
        return name().toLowerCase(Locale.ROOT);
    }
}
