/**
 * What a node writes of itself, and how it finds out whether the database can take part in what it sends. Enter at {@code NodeTable}
 * for heartbeats, and at {@code JdbcProbeStore} for a probe, which settles a row of its own.
 */
package dev.cdioutbox.internal.store.node;
