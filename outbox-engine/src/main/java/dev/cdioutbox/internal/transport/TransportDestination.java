package dev.cdioutbox.internal.transport;

import java.time.Duration;
import java.util.Map;

/** A destination as its transport sees it: where it is, and how its messages are sent there. */
public interface TransportDestination {

    /** The JNDI name of a queue or topic, or a Kafka topic. */
    String address();

    /** Its JNDI name; null for a transport without one. */
    String connectionFactory();

    /** How long a message lives at the broker; zero for ever. */
    Duration timeToLive();

    /** Whether the messages of a key belong to one group of JMS. */
    boolean groupByKey();

    /** Whether the consumers are external: then a message carries no internal headers and ids. */
    boolean external();

    /** The settings of the transport's client. */
    Map<String, String> client();
}
