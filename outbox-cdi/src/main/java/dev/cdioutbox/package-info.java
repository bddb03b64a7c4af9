/**
 * The API for an application that fires events and observes their delivery: annotate an event with
 * {@link dev.cdioutbox.OutboxEvent}, its key with {@link dev.cdioutbox.OutboxKey}, and fire it.
 */
@NullMarked
package dev.cdioutbox;

import org.jspecify.annotations.NullMarked;
