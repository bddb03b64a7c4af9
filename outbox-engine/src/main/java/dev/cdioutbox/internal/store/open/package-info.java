/**
 * Opens the tables and names the class for each task. Enter at {@code JdbcOutboxStore}, which only the assembly of the application
 * creates.
 */
package dev.cdioutbox.internal.store.open;
