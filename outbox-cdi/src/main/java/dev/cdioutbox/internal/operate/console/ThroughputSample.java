package dev.cdioutbox.internal.operate.console;

/**
 * What this node had counted at a moment.
 *
 * @param at milliseconds since 1970
 * @param oldestAgeSeconds the age of the oldest message in the table that still has to be sent
 */
record ThroughputSample(long at, long captured, long published, long failures, double oldestAgeSeconds) {}
