/**
 * The contract of the outbox's tables: interfaces, and the records that they exchange. Enter at
 * {@link dev.cdioutbox.internal.store.OutboxStore}. Dispatch and operators use these types only, and none of the
 * packages below.
 */
package dev.cdioutbox.internal.store;
