package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * A logical destination. Rows store its name only, so that a renamed JNDI entry needs no change of rows.
 *
 * @param transport the name of its publisher
 * @param deadLetter the destination that gets a copy of each message that is given up, or null
 * @param external whether the consumers are external: then a message carries no internal headers and ids
 */
public record DestinationConfig(
        String transport,
        String jndi,
        String connectionFactory,
        Duration timeToLive,
        boolean groupByKey,
        boolean external,
        String deadLetter) {

    /** The transport of a destination that has no other one. */
    public static final String JMS = "jms";

    /**
     * With what needs a restart as it was at start: a destination that has another transport since then, stays as it was.
     *
     * @param start null for a destination that did not exist: only those that did have partitions for dead letters
     */
    DestinationConfig in(DestinationConfig start) {
        if (start != null && !start.transport.equals(transport)) {
            return start;
        }
        return new DestinationConfig(
                transport,
                jndi,
                connectionFactory,
                timeToLive,
                groupByKey,
                external,
                start == null ? null : start.deadLetter);
    }
}
