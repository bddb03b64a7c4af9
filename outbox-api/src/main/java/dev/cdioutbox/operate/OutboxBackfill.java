package dev.cdioutbox.operate;

import java.time.Instant;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The progress of the last {@linkplain OutboxOperations#backfill backfill} of a destination. Times are the database's.
 * Immutable.
 *
 * <pre>{@code
 * boolean done = outbox.backfills().stream().noneMatch(OutboxBackfill::isRunning);
 * }</pre>
 */
public interface OutboxBackfill {

    /** {@return the logical name of the destination that gets the messages; not null} */
    String destination();

    /** {@return the logical name of the destination whose messages are copied; not null} */
    String source();

    /** {@return the event types; not null, unmodifiable} */
    Set<String> eventTypes();

    /** {@return the earliest time of creation of the messages; not null} */
    Instant from();

    /** {@return the sequence up to which the messages were copied or skipped} */
    long position();

    /**
     * {@return the sequence at which the copying ends, the highest one when it began; null before}
     */
    @Nullable
    Long end();

    /** {@return the number of copies} */
    int copied();

    /** {@return the number of messages that the destination had already, so that they were not copied} */
    int present();

    /**
     * {@return the number of messages that were not copied because they had expired, were discarded, had an erased payload,
     * could not be read, or were copies of a backfill themselves}
     */
    int skipped();

    /** {@return the time of the start; not null} */
    Instant startedAt();

    /** {@return the time of the end; null while the backfill runs} */
    @Nullable
    Instant endedAt();

    /** {@return whether the destination is paused, and the backfill with it} */
    boolean paused();

    /** {@return whether the destination gets nothing but the copies yet} */
    default boolean isRunning() {
        return endedAt() == null;
    }
}
