/**
 * The metrics of MicroProfile Metrics: counters and timers are listeners ({@code OutboxMetrics}), gauges read the last
 * readings ({@code GaugeMetrics}). docs/operating.md lists all metrics; a test compares the list. The container calls
 * them, if the server has the feature.
 */
package dev.cdioutbox.internal.observe.metrics;
