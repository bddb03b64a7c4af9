/**
 * What the outbox reports, under codes that stay the same. Enter at {@code OutboxCode}; docs/messages.md explains each
 * code. All packages call it.
 */
package dev.cdioutbox.internal.code;
