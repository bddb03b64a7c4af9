/**
 * The claim: locks or leases partitions with waiting messages, reads the next batch in order, and maintains blocked keys.
 * Enter at {@code MessageClaimer}, which opens an {@code OpenClaim}; {@code Batch} selects the rows. Only {@code store.jdbc}
 * calls it, and a settlement, which proves its lease.
 */
package dev.cdioutbox.internal.store.claim;
