/**
 * Knows the event classes and what an event brings: type, key, metadata, and the rules for each. Enter at {@code
 * EventTypes} for the annotations and at {@code EventMetadata} for headers and terms. Only capture calls this
 * package.
 */
package dev.cdioutbox.internal.capture.event;
