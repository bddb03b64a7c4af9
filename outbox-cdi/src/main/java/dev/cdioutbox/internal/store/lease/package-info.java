/**
 * Claims by the content of a row, for databases without SKIP LOCKED. Enter at {@code LeaseTable}. The claim acquires
 * leases; the settlement checks them.
 */
package dev.cdioutbox.internal.store.lease;
