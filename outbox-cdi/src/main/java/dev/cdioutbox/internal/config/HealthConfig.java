package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * The limits beyond which the backlog is unhealthy.
 *
 * @param maxAge the highest age of the oldest unsent message; null for no limit
 * @param maxPending the highest number of unsent messages; null for no limit
 */
public record HealthConfig(Duration maxAge, Integer maxPending) {}
