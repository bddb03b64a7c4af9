/**
 * The audit: operators' operations and the messages that they changed. Enter at {@code AuditTable}. Operators' changes
 * write entries; the settlement and the sweep delete the entries of deleted messages.
 */
package dev.cdioutbox.internal.store.audit;
