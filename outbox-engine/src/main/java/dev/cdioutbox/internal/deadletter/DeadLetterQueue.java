package dev.cdioutbox.internal.deadletter;

import dev.cdioutbox.spi.DestinationId;

/**
 * A queue into which a broker puts the messages that their consumers could not handle. A named outbox that inherits the settings
 * of a queue has the same queue as the default outbox.
 *
 * @param outbox the outbox whose keys define it
 * @param name its name in the configuration
 * @param connectionFactory its JNDI name
 */
public record DeadLetterQueue(String outbox, String name, String jndi, String connectionFactory) {

    /**
     * The name by which logs and metrics show the queue: {@code exceptions}, or {@code billing/exceptions} if it is defined for the
     * outbox {@code billing}.
     *
     * @return a text that no other queue of the application has
     */
    public String label() {
        return isOfDefaultOutbox() ? name : outbox + "/" + name;
    }

    /** What the keys of its settings begin with. */
    public String key() {
        return "outbox." + (isOfDefaultOutbox() ? "" : "outboxes." + outbox + ".") + "dead-letters." + name;
    }

    private boolean isOfDefaultOutbox() {
        return outbox.equals(DestinationId.DEFAULT_OUTBOX);
    }
}
