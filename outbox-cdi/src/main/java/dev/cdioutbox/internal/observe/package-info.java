/**
 * Observes capture and dispatch from outside, for health checks, metrics, logs and traces. Enter at {@code Gauges}, which
 * keeps the last readings and finds the other listeners. Package {@code ejb} registers the listeners; no other package
 * depends on them.
 */
package dev.cdioutbox.internal.observe;
