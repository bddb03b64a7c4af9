/**
 * Records what consumers have handled, so that they handle nothing twice and notice what comes late. Enter at {@code JdbcInbox}.
 */
package dev.cdioutbox.internal.store.inbox;
