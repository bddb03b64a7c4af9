/**
 * The outboxes of the application, each with its configuration, its store and its listeners. Package {@code deployment} opens
 * them; whoever dispatches, observes or operates an outbox finds it in {@link
 * dev.cdioutbox.internal.outbox.Outboxes}, the only bean.
 */
package dev.cdioutbox.internal.outbox;
