package dev.cdioutbox.internal.store.sql;

import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * The queue in which a message waits: the value of {@code queue_id} in the queue's table. The index of the claim is on this
 * column and the sequence.
 *
 * <table>
 * <caption>Values of the column</caption>
 * <tr><th>queue_id</th><th>the message</th></tr>
 * <tr><td>1 to 2<sup>31</sup> - 1</td><td>waits in the partition with this id. The partition with the number
 *     {@link PartitionIds#DELAYED} holds delayed messages, and failed ones without a key</td></tr>
 * <tr><td>from 2<sup>32</sup></td><td>waits in the queue of the blocked key with this id: its failed or abandoned first
 * message, or a later one</td></tr>
 * <tr><td>negative</td><td>is abandoned, and later messages of its key do not wait: the negative id of its
 * partition</td></tr>
 * </table>
 */
public record QueueId(long value) {
    public static final String IS_ABANDONED = "queue_id < 0";

    public static final String IS_BLOCKED_KEY = "queue_id > " + Integer.MAX_VALUE;

    /** A queue that no claim reads. */
    public static final QueueId NOWHERE = new QueueId(Integer.MAX_VALUE);

    /** The outbox still has to send the message. For rows found by the primary key. */
    public static String isPending(Dialect dialect) {
        return dialect.withoutIndex("queue_id") + " > 0";
    }

    public boolean isBlockedKey() {
        return value > Integer.MAX_VALUE;
    }

    /** The value for a message that was abandoned in this partition. */
    public QueueId abandoned() {
        return new QueueId(-value);
    }
}
