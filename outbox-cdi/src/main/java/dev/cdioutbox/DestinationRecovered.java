package dev.cdioutbox;

/**
 * A CDI event: deliveries to a destination work again on this node, after a {@link DestinationFailing}. The dispatcher
 * fires this event on the same terms as {@link MessagePublished}. Immutable.
 *
 * @param destination the name of the destination, as in logs and metrics; not null
 * @param failures the number of consecutive worker runs that failed; 1 or more
 */
public record DestinationRecovered(String destination, int failures) {}
