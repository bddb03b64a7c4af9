package dev.cdioutbox.internal.config;

import java.time.Duration;
import java.util.Map;

import dev.cdioutbox.internal.transport.TransportDestination;

/**
 * A logical destination. Rows store its name only, so that a renamed JNDI entry needs no change of rows.
 *
 * @param transport the name of its publisher
 * @param address the JNDI name of a queue or topic, or a Kafka topic
 * @param connectionFactory its JNDI name; null for a transport without one
 * @param deadLetter the destination that gets a copy of each message that is given up, or null
 * @param client settings of the transport's client
 * @param external whether the consumers are external: then a message carries no internal headers and ids
 */
public record DestinationConfig(
        String transport,
        String address,
        String connectionFactory,
        Duration timeToLive,
        boolean groupByKey,
        boolean external,
        String deadLetter,
        Map<String, String> client)
        implements TransportDestination {

    /** The transport of a destination that has no other one. */
    public static final String JMS = "jms";

    public static final String KAFKA = "kafka";

    /** Not a publisher: change data capture reads the messages from the database's log. */
    public static final String CDC = "cdc";

    /** Calls the handlers of the application. As a destination of an event, it stands for all handlers of its type. */
    public static final String LOCAL = "local";

    /** Whether a destination may have this name: the text of a DestinationId has the name of the outbox before a slash. */
    public static boolean isName(String name) {
        return name.matches("[^/\\p{Cc}\\p{Cf}]{1,64}");
    }

    public boolean isCdc() {
        return transport.equals(CDC);
    }

    public boolean isLocal() {
        return transport.equals(LOCAL);
    }

    /** Not with Kafka, which has markers instead, nor with a handler, which works in the transaction of the database. */
    public boolean canUseXa() {
        return !isLocal() && !transport.equals(KAFKA);
    }

    /** Whether the settings of a client name a broker of Kafka. */
    public boolean knowsKafka() {
        return client.containsKey(ConfigReader.BOOTSTRAP_SERVERS);
    }

    /**
     * With what needs a restart as it was at start, except that {@code external} takes effect with the new value, which is reported
     * ({@code OBX-0218}). A destination that has had its transport changed since then stays as it was.
     *
     * @param start null for a destination that did not exist: only those that did have partitions for dead letters
     */
    DestinationConfig in(DestinationConfig start) {
        if (start != null && !start.transport.equals(transport)) {
            return start;
        }
        return new DestinationConfig(
                transport,
                address,
                connectionFactory,
                timeToLive,
                groupByKey,
                external,
                start == null ? null : start.deadLetter,
                start == null ? client : start.client);
    }
}
