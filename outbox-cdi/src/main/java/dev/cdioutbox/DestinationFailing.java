package dev.cdioutbox;

/**
 * A CDI event: deliveries to a destination have begun to fail on this node, and its messages wait. The dispatcher fires
 * one event per outage, on the same terms as {@link MessagePublished}. {@link DestinationRecovered} reports the end of
 * the outage. Immutable.
 *
 * @param destination the name of the destination, as in logs and metrics; not null
 * @param reason the failure that began the outage; not null
 */
public record DestinationFailing(String destination, String reason) {}
