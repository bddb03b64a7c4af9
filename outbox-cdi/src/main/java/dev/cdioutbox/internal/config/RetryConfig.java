package dev.cdioutbox.internal.config;

import java.time.Duration;

public record RetryConfig(
        int maxAttempts,
        Duration baseDelay,
        double multiplier,
        Duration maxDelay,
        double jitter,
        boolean blockOnAbandon) {}
