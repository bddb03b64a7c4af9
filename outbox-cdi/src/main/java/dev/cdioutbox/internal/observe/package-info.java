/**
 * Observes capture and dispatch from outside, for health checks, metrics, logs and traces. Enter at {@code Observers},
 * which finds the listeners; {@code Gauges} keeps the last readings; {@code ThreadActivity} measures how long a worker
 * waits. The JMS module registers the observers; no other package depends on them.
 */
package dev.cdioutbox.internal.observe;
