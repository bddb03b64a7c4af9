/**
 * What operators did, and to which messages. Enter at {@code AuditTable}. Operators' changes write it; the settlement
 * and the purge delete the entries of deleted messages.
 */
package dev.cdioutbox.internal.store.audit;
