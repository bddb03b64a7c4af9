package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * A logical destination. Rows store its name only, so that a renamed JNDI entry needs no change of rows.
 *
 * @param external whether strangers read it: what they need not know is left out of the message
 */
public record DestinationConfig(
        String jndi, String connectionFactory, Duration timeToLive, boolean groupByKey, boolean external) {}
