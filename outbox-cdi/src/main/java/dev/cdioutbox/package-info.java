/**
 * The API for applications: annotate an event with {@link dev.cdioutbox.OutboxEvent}, its key with
 * {@link dev.cdioutbox.OutboxKey}, and fire it. {@link dev.cdioutbox.OutboxOperations} reads and operates the stored
 * messages.
 */
package dev.cdioutbox;
