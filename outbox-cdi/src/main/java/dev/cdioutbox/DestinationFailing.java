package dev.cdioutbox;

import java.util.Objects;

/**
 * A CDI event: deliveries to a destination fail on this node since now, and its messages wait. One is fired for an outage,
 * as {@link MessagePublished} is; {@link DestinationRecovered} ends it. Immutable.
 *
 * @param destination the name of the destination, as in logs and metrics; not null
 * @param reason the first failure; not null
 */
public record DestinationFailing(String destination, String reason) {

    /** Refuses nulls. */
    public DestinationFailing {
        Objects.requireNonNull(destination, "destination");
        Objects.requireNonNull(reason, "reason");
    }
}
