/**
 * The claim: reserves partitions with waiting messages, reads the next batch in order, and maintains blocked keys. Enter at
 * {@code MessageClaimer}, or at {@code DelayedMessages}, which moves what is due to where claims look.
 *
 * <pre>
 *   reserve    Reservation (RowLock, Lease, Destination) ─► PartitionClaim ─► Partitions
 *   read       BatchReader ─► PageReader ─► Row ─► Queue, Batch      FurtherPages if the first pages are not enough,
 *                                                                    BlockedKeyQueue beside a partition
 *   maintain   MaintenancePlan ─► BlockedKeyMaintenance              only if the claim has met blocked keys
 *   release    Reservation
 * </pre>
 *
 * <p>A <b>blocked key</b> is one whose next message waits for a retry or for an operator. Its life:
 *
 * <ol>
 *   <li>The transaction that charges the message inserts the row of the key, and moves the message to the queue whose id is
 *       that of the row. The row says when the queue is due: at the retry, or never.
 *   <li>Followers stay in the partition until a claim reads some. It sends none of them, and the maintenance moves them.
 *   <li>Claims read a due queue beside the partition ({@code DueBlockedKeys}). A retry or discard of its first message makes
 *       it due at once.
 *   <li>When a claim has emptied the queue, or found it empty, the maintenance deletes the row. Until then, the key's
 *       messages are sent from its queue only.
 * </ol>
 */
package dev.cdioutbox.internal.store.claim;
