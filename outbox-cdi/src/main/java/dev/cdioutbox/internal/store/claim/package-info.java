/**
 * The claim: locks or leases partitions with waiting messages, and reads the next batch in order, and
 * maintains blocked keys. Enter at {@code OpenClaim}; {@code Batch} selects the rows. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.claim;
