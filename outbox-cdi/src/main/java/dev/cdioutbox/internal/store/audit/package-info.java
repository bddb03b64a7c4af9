/**
 * The audit: operators' operations and the messages that they changed. Enter at {@code AuditTable}. The package
 * operate writes entries; the settlement and the sweep delete the entries of deleted messages.
 */
package dev.cdioutbox.internal.store.audit;
