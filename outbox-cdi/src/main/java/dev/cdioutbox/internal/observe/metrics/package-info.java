/**
 * The metrics of MicroProfile Metrics. {@code OutboxMetrics} listens for counters and timers; its gauges read the last
 * readings. docs/operating.md lists all metrics; a test compares the list. The container calls it, if the server has the
 * feature.
 */
package dev.cdioutbox.internal.observe.metrics;
