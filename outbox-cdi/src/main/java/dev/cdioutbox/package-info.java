/**
 * What an application touches: annotate an event with {@link dev.cdioutbox.OutboxEvent}, its key with
 * {@link dev.cdioutbox.OutboxKey}, and fire it. {@link dev.cdioutbox.OutboxOperations} looks at what is stored.
 */
package dev.cdioutbox;
