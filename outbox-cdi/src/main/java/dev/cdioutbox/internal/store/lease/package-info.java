/**
 * Claims by the content of a row, for databases that cannot skip locked rows. Enter at {@code LeaseTable}. The claim
 * takes leases; the settlement checks them.
 */
package dev.cdioutbox.internal.store.lease;
