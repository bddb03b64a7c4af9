/**
 * Every problem that the outbox reports, with its code and text. Enter at {@code Problem}; docs/messages.md explains
 * each code. All packages call it.
 */
package dev.cdioutbox.internal.problem;
