package dev.cdioutbox.internal.store;

/** Where a batch ends. */
public record ClaimLimits(int partitions, int messages, long bytes) {}
