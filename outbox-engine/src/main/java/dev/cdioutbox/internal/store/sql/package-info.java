/**
 * What the packages of the store have in common: connections and local transactions, the columns of a message, queue ids and
 * partitions. Enter at {@code JdbcStatement} for running a statement, whose text is in the class that executes it, at
 * {@code MessageColumn} for a column, and at {@code MessageRow} for what a claim or an operator reads.
 */
package dev.cdioutbox.internal.store.sql;
