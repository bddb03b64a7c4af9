package dev.cdioutbox.operate;

import java.time.Instant;

/**
 * The record of one operation of {@link OutboxOperations}: a row of {@code outbox_audit}. Immutable.
 *
 * @param at the time of the operation, by the database's clock; not null
 * @param who the caller's name, or {@code unauthenticated}; not null
 * @param action {@code retry}, {@code discard}, {@code replay}, {@code replay-as-new}, {@code pause} or {@code resume};
 *     not null
 * @param subject the target of the operation: the filter, or the id of a single message, as a JSON object; or the
 *     paused destination; not null
 * @param changed the number of messages that the operation changed; for a pause or resume, 1 if it changed the
 *     destination, else 0. The console executes a large operation in batches, with an entry for each
 */
public record OutboxAuditEntry(Instant at, String who, String action, String subject, int changed) {}
