/**
 * Reads the state of the backlog, at a cost that does not grow with the number of published messages. Enter at
 * {@code BacklogReader}.
 */
package dev.cdioutbox.internal.store.backlog;
