/**
 * The claim: reserves partitions with waiting messages ({@code Reservation}: by lock, by lease, or a destination as a whole), reads the next batch in order, and maintains
 * blocked keys. Enter at {@code Claim}; {@code BatchReader} reads, and {@code Batch} selects
 * the rows.
 */
package dev.cdioutbox.internal.store.claim;
