/**
 * The claim: locks or leases partitions with waiting messages, reads the next batch in order, and maintains
 * blocked keys. Enter at {@code MessageClaimer}, which opens an {@code OpenClaim}; {@code Batch} selects the rows.
 * Only {@code store.jdbc} calls this package, and a settlement that has to prove its lease.
 */
package dev.cdioutbox.internal.store.claim;
