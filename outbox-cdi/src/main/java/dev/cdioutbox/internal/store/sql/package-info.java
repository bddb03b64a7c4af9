/**
 * The common parts of the store: connections and local transactions, the columns of a message, the queue id, the
 * partitions, and the insert. Enter at {@code MessageColumn} for a column, at {@code JdbcStatement} for the execution of a statement, whose
 * text is in the class that executes it. The other packages of the store call this package, which calls
 * {@code store.dialect} only.
 */
package dev.cdioutbox.internal.store.sql;
