package dev.cdioutbox;

import java.util.Objects;

/**
 * A CDI event: deliveries to a destination work again on this node, after a {@link DestinationFailing}. It is fired as
 * {@link MessagePublished} is. Immutable.
 *
 * @param destination the name of the destination, as in logs and metrics; not null
 * @param failures how many runs in a row had failed
 */
public record DestinationRecovered(String destination, int failures) {

    /** Refuses a null destination. */
    public DestinationRecovered {
        Objects.requireNonNull(destination, "destination");
    }
}
