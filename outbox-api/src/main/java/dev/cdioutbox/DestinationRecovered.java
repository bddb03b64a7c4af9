package dev.cdioutbox;

/**
 * A CDI event: deliveries to a destination work again on this node, after a {@link DestinationFailing}. The dispatcher
 * fires this event on the same terms as {@link MessagePublished}. Immutable.
 */
public interface DestinationRecovered {

    /** {@return the name of the destination, as in logs and metrics; not null} */
    String destination();

    /** {@return the number of consecutive worker runs that failed, or of failures that were not charged; 1 or more} */
    int failures();
}
