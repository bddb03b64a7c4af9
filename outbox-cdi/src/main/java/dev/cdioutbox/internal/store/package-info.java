/**
 * The contract of the outbox's tables: interfaces, and the records that they exchange. Enter at
 * {@link dev.cdioutbox.internal.store.OutboxStore}. Dispatch uses these types only, and none of the packages below;
 * operators also use {@code store.admin}.
 */
package dev.cdioutbox.internal.store;
