/**
 * The claim: reserves partitions with waiting messages by lock or by lease, reads the next batch in order, and maintains
 * blocked keys. Enter at {@code Claim}, which names its parts; {@code Batch} selects the rows.
 */
package dev.cdioutbox.internal.store.claim;
