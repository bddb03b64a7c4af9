/**
 * The state of the backlog, at a cost that does not depend on the number of published messages. Enter at
 * {@code BacklogReader}. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.backlog;
