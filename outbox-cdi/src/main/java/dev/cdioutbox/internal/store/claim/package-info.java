/**
 * The claim: locks or leases partitions with waiting messages, and reads the next batch in order. Enter at
 * {@code MessageClaimer}; {@code Batch} selects the rows. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.claim;
