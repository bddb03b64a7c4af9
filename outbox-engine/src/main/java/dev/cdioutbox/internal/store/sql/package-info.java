/**
 * What the packages of the store have in common: connections and local transactions, the columns of a message,
 * queue ids, partitions, and the insert. Enter at {@code MessageColumn} for a column, at {@code MessageInsert} for what a
 * capture writes, at {@code MessageRow} for what a claim reads, and at {@code JdbcStatement} for running a statement, whose text is
 * in the class that executes it. This package calls only {@code store.dialect}.
 */
package dev.cdioutbox.internal.store.sql;
