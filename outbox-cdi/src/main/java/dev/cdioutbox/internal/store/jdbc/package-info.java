/**
 * The contract of the store, implemented with JDBC: assembles the packages beside it. Enter at {@link
 * dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore}. Only the assembly of the application creates it.
 */
package dev.cdioutbox.internal.store.jdbc;
