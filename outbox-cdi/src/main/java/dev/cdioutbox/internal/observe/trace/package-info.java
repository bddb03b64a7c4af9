/**
 * Spans of MicroProfile Telemetry for publishing and receiving a message. Enter at {@code Traces}. The JMS module
 * calls it.
 */
package dev.cdioutbox.internal.observe.trace;
