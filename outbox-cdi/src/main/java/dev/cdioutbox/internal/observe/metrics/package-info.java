/**
 * The metrics of MicroProfile Metrics: counters and timers are listeners ({@code OutboxMetrics}, {@code
 * ConsumerMetrics}), gauges read what was last seen ({@code GaugeMetrics}). docs/operating.md lists each of them; a
 * test compares. The container calls them, if the server has the feature.
 */
package dev.cdioutbox.internal.observe.metrics;
