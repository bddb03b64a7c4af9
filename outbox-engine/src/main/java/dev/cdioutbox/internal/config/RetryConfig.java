package dev.cdioutbox.internal.config;

import java.time.Duration;

/** When a failed message is tried again, and when it is abandoned: the keys {@code outbox.retry.*}. */
public record RetryConfig(int maxAttempts, Duration baseDelay, Duration maxDelay, boolean blockOnAbandon) {}
