package dev.cdioutbox.internal.config;

import java.time.Duration;

/**
 * What makes the backlog unhealthy.
 *
 * @param maxAge of the oldest message that still has to be sent; null for never
 * @param maxPending messages that still have to be sent; null for never
 */
public record HealthConfig(Duration maxAge, Integer maxPending) {}
