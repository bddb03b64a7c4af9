/**
 * Fires the events that an aggregate has collected, when its row is written. Enter at {@code AggregateEvents}, the bean behind
 * {@code OutboxAggregates}; {@code UnwrittenAggregates} are those that may have lost an event, and {@code EntityId} finds other instances of a row. Only the container calls it.
 */
package dev.cdioutbox.internal.capture.aggregate;
