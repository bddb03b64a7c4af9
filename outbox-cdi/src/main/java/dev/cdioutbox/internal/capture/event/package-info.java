/**
 * The event classes, and the parts of an event: type, key and metadata, with the rules for each. Enter at
 * {@code EventTypes} for the annotations, at {@code PropertyFinder} for the key, and at {@code EventMetadata} for headers and terms. Only capture calls this
 * package.
 */
package dev.cdioutbox.internal.capture.event;
