/**
 * Opens the tables, and assembles the packages beside it into the roles of the contract. Also holds what concerns
 * a single small table: nodes, the inbox, delayed messages. Enter at {@link
 * dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore}, which only the assembly of the application creates.
 */
package dev.cdioutbox.internal.store.jdbc;
