package dev.cdioutbox.operate;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The record of one operation of {@link OutboxOperations} that changed messages: a row of {@code outbox_audit}. The table
 * also has a row for each pause, resume and backfill, which the console shows and {@link OutboxOperations#history} does not return.
 * Immutable.
 *
 * <pre>{@code
 * outbox.history(messageId).forEach(done -> show(done.at(), done.who(), done.action()));
 * }</pre>
 */
public interface OutboxAuditEntry {

    /** {@return the number of the entry: a later one has a higher number} */
    long id();

    /** {@return the time of the operation, by the database's clock; not null} */
    Instant at();

    /** {@return the caller's name, or {@code unauthenticated}; not null} */
    String who();

    /** {@return the role by which the console let the caller do it, {@code outbox-admin}; null for a call from code} */
    @Nullable
    String role();

    /** {@return {@code retry}, {@code discard}, {@code replay} or {@code replay-as-new}; not null} */
    String action();

    /**
     * {@return the target of the operation: filter and range, or the id of a single message, as a JSON object; not null}
     */
    String subject();

    /**
     * {@return the number of messages that the operation changed. The console executes a large operation in batches, with
     * an entry for each}
     */
    int changed();
}
