package dev.cdioutbox;

import java.time.Instant;

/**
 * An operation of {@link OutboxOperations}: a row of {@code outbox_audit}.
 *
 * @param at when it began, by the database's clock; not null
 * @param who the caller's name, or {@code unauthenticated}; not null
 * @param action {@code retry}, {@code discard}, {@code replay}, {@code replay-as-new}, {@code pause} or {@code resume};
 *     not null
 * @param subject what it was asked to concern: the filter, or the one message's id, as a JSON object, or the destination that was paused;
 *     not null
 * @param changed how many messages it really changed, so far if the console is still executing it batch by batch; for a pause 1, or 0 if there was nothing to change
 */
public record OutboxAuditEntry(Instant at, String who, String action, String subject, int changed) {}
