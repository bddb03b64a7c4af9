/**
 * The common parts of the store: connections and local transactions, the columns of a message, the queue id, and the
 * statements on messages. Enter at {@code MessageColumn} for a column, at {@code OutboxStatements} for the text of a
 * statement, at {@code JdbcStatement} for its execution. The other packages of the store call this package, which calls {@code store.dialect} only.
 */
package dev.cdioutbox.internal.store.sql;
