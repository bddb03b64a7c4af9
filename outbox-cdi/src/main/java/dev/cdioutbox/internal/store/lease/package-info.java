/**
 * Claims by the content of a row, for clusters whose servers do not share row locks (Galera). Enter at
 * {@code LeaseTable}. The claim acquires leases; the settlement checks them.
 */
package dev.cdioutbox.internal.store.lease;
