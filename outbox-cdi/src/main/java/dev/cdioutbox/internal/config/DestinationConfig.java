package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * A logical destination. Rows store its name only, so that a renamed JNDI entry needs no change of rows.
 *
 * @param deadLetter the destination that gets a copy of each message that is given up, or null
 * @param external whether the consumers are external: then a message carries no internal headers and ids
 */
public record DestinationConfig(
        String jndi,
        String connectionFactory,
        Duration timeToLive,
        boolean groupByKey,
        boolean external,
        String deadLetter) {

    DestinationConfig withDeadLetter(String other) {
        return new DestinationConfig(jndi, connectionFactory, timeToLive, groupByKey, external, other);
    }
}
