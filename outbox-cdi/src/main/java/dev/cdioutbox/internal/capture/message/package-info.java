/**
 * Creates the messages of an event. Enter at {@code MessageFactory}; {@code BodySerializer} serializes the event, and
 * each {@code MetadataSource} adds to its metadata: the handled message ({@code Causation}), the trace ({@code
 * Tracing}), the application ({@code Enrichers}). Only capture and the consumers call this package.
 */
package dev.cdioutbox.internal.capture.message;
