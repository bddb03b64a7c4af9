/**
 * Spans of MicroProfile Telemetry for publishing and receiving a message. Enter at {@code TelemetryTraces}. The transports
 * call it through {@code Traces} of package {@code transport}.
 */
package dev.cdioutbox.internal.observe.trace;
