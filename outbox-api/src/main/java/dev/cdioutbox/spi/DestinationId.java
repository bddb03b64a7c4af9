package dev.cdioutbox.spi;

import dev.cdioutbox.OutboxMessage;
import org.jspecify.annotations.Nullable;

/**
 * Tells a destination from all others of the application, in which two outboxes may have destinations of one name. Within one
 * outbox, the name alone is enough: it is what {@link OutboxMessage.Delivery#destination} and the tables have. Two ids are
 * equal if both names are. Immutable and safe to share between threads.
 */
public final class DestinationId {

    /** The name of the default outbox. */
    public static final String DEFAULT_OUTBOX = "default";

    private final String outbox;
    private final String name;

    private DestinationId(String outbox, String name) {
        this.outbox = require(outbox);
        this.name = require(name);
    }

    private static String require(String name) {
        if (name.isEmpty() || name.contains("/")) {
            throw new IllegalArgumentException("'" + name + "' is empty or has a slash");
        }
        return name;
    }

    /**
     * Identifies a destination.
     *
     * @param outbox the name of the outbox; not null
     * @param name the name of the destination in this outbox; not null
     * @return the id; never null
     * @throws IllegalArgumentException if a name is empty or has a slash, so that the {@linkplain #toString text} could be
     *     that of another destination
     */
    public static DestinationId of(String outbox, String name) {
        return new DestinationId(outbox, name);
    }

    /**
     * Identifies a destination of the default outbox.
     *
     * @param name the name of the destination; not null
     * @return the id; never null
     * @throws IllegalArgumentException if the name is empty or has a slash
     */
    public static DestinationId ofDefaultOutbox(String name) {
        return of(DEFAULT_OUTBOX, name);
    }

    /** {@return the name of the outbox, which is {@value #DEFAULT_OUTBOX} for the default one; not null} */
    public String outbox() {
        return outbox;
    }

    /** {@return the name of the destination, as in {@code outbox.destinations.<name>}; not null} */
    public String name() {
        return name;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DestinationId id && outbox.equals(id.outbox) && name.equals(id.name);
    }

    @Override
    public int hashCode() {
        return 31 * outbox.hashCode() + name.hashCode();
    }

    /**
     * The name by which logs, metrics and health data show the destination: {@code orders} in the default outbox, {@code
     * billing/orders} in the outbox {@code billing}.
     *
     * @return a text that no other destination of the application has
     */
    @Override
    public String toString() {
        return outbox.equals(DEFAULT_OUTBOX) ? name : outbox + "/" + name;
    }
}
