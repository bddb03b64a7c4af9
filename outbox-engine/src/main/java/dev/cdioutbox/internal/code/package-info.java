/**
 * What the outbox reports, under codes that stay the same. Enter at {@code OutboxCode}; docs/messages.md explains each
 * code. {@code SameVersion} refuses jars whose codes are of another version. All packages of all jars call it.
 */
package dev.cdioutbox.internal.code;
