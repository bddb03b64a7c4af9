/**
 * Records the messages that a consumer has handled. Enter at {@code JdbcInbox}. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.inbox;
