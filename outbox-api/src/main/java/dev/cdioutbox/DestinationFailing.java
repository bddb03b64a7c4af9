package dev.cdioutbox;

/**
 * A CDI event: deliveries to a destination have begun to fail on this node, and its messages wait, or the destination may be at
 * fault itself, so that messages without attempts left are not given up (OBX-0450). The dispatcher fires one event per outage, on
 * the same terms as {@link MessagePublished}. {@link DestinationRecovered} reports the end of the outage. Immutable.
 *
 * <pre>{@code
 * void failing(@Observes DestinationFailing failing) {
 *     mail.send("operators", failing.destination() + " fails: " + failing.reason());
 * }
 * }</pre>
 */
public interface DestinationFailing {

    /** {@return the name of the destination, as in logs and metrics; not null} */
    String destination();

    /** {@return the failure that began the outage; not null} */
    String reason();
}
