/**
 * The contract of the outbox tables: an interface for each kind of caller, and the records that they exchange.
 * Dispatch enters at {@link dev.cdioutbox.internal.store.DispatchStore}, capture at {@link
 * dev.cdioutbox.internal.store.CaptureStore}. Both use only these types and none of the packages below; operators
 * also use {@code store.admin}.
 */
package dev.cdioutbox.internal.store;
