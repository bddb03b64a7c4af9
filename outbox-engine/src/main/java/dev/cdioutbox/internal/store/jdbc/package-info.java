/**
 * Opens the tables, checks them and what is around them, and names the class for each task. Also holds what concerns a single
 * small table: nodes, the inbox, delayed messages, backfills. Enter at {@link dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore},
 * which only the assembly of the application creates.
 */
package dev.cdioutbox.internal.store.jdbc;
