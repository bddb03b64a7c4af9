/**
 * Opens the tables, and assembles the packages beside it into the roles of the contract. Has the small tables: nodes, the
 * inbox, and the delayed messages. Enter at {@link dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore}. Only the assembly
 * of the application creates it.
 */
package dev.cdioutbox.internal.store.jdbc;
