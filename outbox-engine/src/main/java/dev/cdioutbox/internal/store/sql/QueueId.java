package dev.cdioutbox.internal.store.sql;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.store.UuidV7;

/**
 * The queue in which a message waits: the value of {@code queue_id} in the queue's table. The index of the claim is on this
 * column and the sequence.
 *
 * <table>
 * <caption>Values of the column</caption>
 * <tr><th>queue_id</th><th>the message</th></tr>
 * <tr><td>1 to 2<sup>54</sup> - 1</td><td>waits in the partition with this id: 42 bits of a hash of application and
 *     destination, and 12 bits with a number of {@link PartitionIds}</td></tr>
 * <tr><td>from 2<sup>61</sup></td><td>waits in the queue of the blocked key with this id: its failed or abandoned first
 * message, or a later one</td></tr>
 * <tr><td>negative</td><td>is abandoned, and later messages of its key do not wait: the negative id of its
 * partition</td></tr>
 * </table>
 */
public record QueueId(long value) {
    /**
     * The outbox still has to send the message. For rows found by the primary key: COALESCE keeps PostgreSQL, with outdated
     * statistics, from reading all waiting rows by the index of the queues. An addition would not do, because the planner
     * infers from "queue_id + 0 > 0" that the column is not null.
     */
    static final String IS_PENDING = "COALESCE(queue_id, 0) > 0";

    /** A queue that no claim reads. */
    public static final QueueId NOWHERE = new QueueId(1L << 60);

    /** Below the ids of all blocked keys. A parameter in SQL: a literal of that size is no BIGINT on SQL Server. */
    public static final long BLOCKED_KEYS = 1L << 61;

    private static final int HASH_BITS = 42;

    /** The highest number of a partition, plus one. */
    static final int NUMBERS = 1 << 12;

    /** Enough for two blocked keys of one millisecond. The time takes 42 bits, until the year 2109. */
    private static final int RANDOM_BITS = 19;

    /**
     * The queue of a partition: the same on every node and for ever, so that a row that was deleted comes back under its id.
     *
     * @param number from 1, so that no id is 0
     */
    public static QueueId of(String application, String destination, int number) {
        long hash =
                ByteBuffer.wrap(UuidV7.sha256(application + '\0' + destination)).getLong() >>> Long.SIZE - HASH_BITS;
        return new QueueId(hash * NUMBERS + number);
    }

    /**
     * The queue of a key that is blocked now. Its id comes from the time and not from the table, which would give an id again
     * after it was emptied, while messages still wait under that id.
     */
    public static QueueId ofBlockedKey(long epochMillis) {
        return new QueueId(BLOCKED_KEYS
                + (epochMillis << RANDOM_BITS)
                + ThreadLocalRandom.current().nextLong(1L << RANDOM_BITS));
    }

    /** When the key of this queue was blocked, by the clock of the node that did it. */
    public Instant blockedAt() {
        return Instant.ofEpochMilli((value - BLOCKED_KEYS) >>> RANDOM_BITS);
    }

    public boolean isBlockedKey() {
        return value >= BLOCKED_KEYS;
    }

    /** The value for a message that was abandoned in this partition. */
    public QueueId abandoned() {
        return new QueueId(-value);
    }
}
