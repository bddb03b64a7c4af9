/**
 * Creates the messages of an event. Enter at {@code MessageFactory}; {@code BodySerializer} serializes the event, and
 * each {@code MetadataSource} adds to its metadata: the message that the thread handles ({@code Causation}, which reads {@code HandledMessage}), the trace ({@code
 * Tracing}), the application ({@code Enrichers}). Only capture and the consumers call this package.
 */
package dev.cdioutbox.internal.capture.message;
