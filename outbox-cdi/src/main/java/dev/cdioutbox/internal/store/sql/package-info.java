/**
 * What all statements share: connections and transactions of their own, the columns of a message, the queue's id, and
 * the statements on messages. Enter at {@code MessageColumn} for a column, at {@code OutboxStatements} for a
 * statement. The other packages of the store call it; it calls {@code store.dialect} only.
 */
package dev.cdioutbox.internal.store.sql;
