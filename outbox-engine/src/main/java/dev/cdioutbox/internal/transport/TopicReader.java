package dev.cdioutbox.internal.transport;

import java.util.Optional;

import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;

/** What the publisher of Kafka can tell of a topic that it does not send to: that of a captured destination. */
public interface TopicReader {

    /**
     * Asks Kafka for the topic of a destination.
     *
     * @param destination has a client's settings
     * @return empty if there is no such topic
     * @throws PublishException if Kafka does not answer
     */
    Optional<TopicLimits> limits(DestinationId destination) throws PublishException;
}
