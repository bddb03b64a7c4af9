package dev.cdioutbox;

import java.time.Instant;

/**
 * The record of one operation of {@link OutboxOperations}: a row of {@code outbox_audit}. Immutable.
 *
 * @param at the start of the operation, by the database's clock; not null
 * @param who the caller's name, or {@code unauthenticated}; not null
 * @param action {@code retry}, {@code discard}, {@code replay}, {@code replay-as-new}, {@code pause} or {@code resume};
 *     not null
 * @param subject the target of the operation: the filter, or the id of a single message, as a JSON object; or the
 *     paused destination; not null
 * @param changed the number of messages that the operation changed so far: the console executes a large operation in
 *     batches. For a pause or resume, 1 if the operation changed the destination, else 0
 */
public record OutboxAuditEntry(Instant at, String who, String action, String subject, int changed) {}
