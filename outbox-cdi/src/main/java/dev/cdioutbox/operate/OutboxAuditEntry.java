package dev.cdioutbox.operate;

import java.time.Instant;

/**
 * The record of one operation of {@link OutboxOperations}: a row of {@code outbox_audit}. Immutable.
 *
 * <pre>{@code
 * outbox.history(messageId).forEach(done -> show(done.at(), done.who(), done.action()));
 * }</pre>
 */
public interface OutboxAuditEntry {

    /** {@return the time of the operation, by the database's clock; not null} */
    Instant at();

    /** {@return the caller's name, or {@code unauthenticated}; not null} */
    String who();

    /**
     * {@return {@code retry}, {@code discard}, {@code replay}, {@code replay-as-new}, {@code pause} or {@code resume}; not
     * null}
     */
    String action();

    /**
     * {@return the target of the operation: filter and range, or the id of a single message, as a JSON object; or the
     * paused destination; not null}
     */
    String subject();

    /**
     * {@return the number of messages that the operation changed; for a pause or resume, 1 if it changed the destination,
     * else 0. The console executes a large operation in batches, with an entry for each}
     */
    int changed();
}
