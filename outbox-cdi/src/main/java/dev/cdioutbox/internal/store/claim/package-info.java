/**
 * The claim: reserves partitions with waiting messages ({@code Reservation}: by lock, by lease, or a destination as a whole), reads
 * the next batch in order, and maintains blocked keys. Enter at {@code MessageClaimer}. {@code BatchReader} reads the first page of
 * each queue, and {@code Batch} selects the rows. What is rare stands apart: {@code FurtherPages} behind rows that have to wait, and
 * {@code BlockedKeys} once a key is blocked.
 */
package dev.cdioutbox.internal.store.claim;
