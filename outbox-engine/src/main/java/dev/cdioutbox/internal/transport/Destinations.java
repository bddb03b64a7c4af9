package dev.cdioutbox.internal.transport;

import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;

/** The destinations of all outboxes of the application, as they are configured now. Thread-safe. */
public interface Destinations {

    /** @throws PublishException OBX-0504, with the blame on the destination, if it is not configured any more */
    DestinationSettings settings(DestinationId destination) throws PublishException;

    /** The configuration key of the JNDI name of a destination, for a report about that name. */
    String jndiKey(DestinationId destination);
}
