/**
 * Creates the messages of an event. Enter at {@code MessageFactory}, which serializes the event; {@code MessageFactories}
 * collects what it needs of the application and the server. Each {@code MetadataSource} adds to the event's metadata: the
 * message that the thread handles ({@code Causation}), the trace ({@code TraceHeaders}), the application
 * ({@code Enrichers}). Only capture calls this package.
 */
package dev.cdioutbox.internal.capture.message;
