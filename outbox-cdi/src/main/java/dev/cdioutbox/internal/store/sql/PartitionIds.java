package dev.cdioutbox.internal.store.sql;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.zip.CRC32;

import dev.cdioutbox.internal.store.NewMessage;

/**
 * The partitions of each destination, as this node knows them: the number of a message's partition, which never changes, and
 * the id of each partition, which is the {@linkplain QueueId queue} of its waiting messages. A row that was deleted and put
 * back has a new id. Thread-safe.
 *
 * <table>
 * <caption>The numbers of a destination with n partitions</caption>
 * <tr><td>{@link #DELAYED}</td><td>delayed messages</td></tr>
 * <tr><td>0 to n - 1</td><td>the other messages, by their keys</td></tr>
 * <tr><td>n</td><td>the copies of a {@linkplain dev.cdioutbox.internal.store.jdbc.BackfillTable backfill}. Claimed like those
 *     of the keys, and first while the backfill runs</td></tr>
 * </table>
 */
public final class PartitionIds {
    /** The number of the partition that holds delayed messages. */
    public static final int DELAYED = -1;

    /** By destination and number. */
    private volatile Map<String, SortedMap<Integer, Long>> known = Map.of();

    /**
     * The number of a message's partition: the same one for a key on every node; by the message id without a key. A
     * destination that was configured in the past may have another number of partitions.
     */
    public int number(NewMessage message) {
        String key = message.event().key();
        int count = count(known.get(message.destination()));
        return message.context().originSequence() != null
                ? count
                : number(key == null ? message.id().toString() : key, count);
    }

    public static int number(String key, int partitions) {
        CRC32 hash = new CRC32();
        hash.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % partitions);
    }

    public long id(String destination, int number) {
        return known.get(destination).get(number);
    }

    /** The ids of the partitions that a claim takes, by number: all but that of the delayed messages. */
    public List<Long> ids(String destination) {
        return List.copyOf(known.get(destination).tailMap(0).values());
    }

    /** The id of the partition for the copies of a backfill. */
    public long backfillId(String destination) {
        SortedMap<Integer, Long> ids = known.get(destination);
        return ids.get(count(ids));
    }

    /** All destinations with partitions, also those of the past. */
    public Set<String> destinations() {
        return known.keySet();
    }

    /** All ids, by destination and number. */
    Map<String, SortedMap<Integer, Long>> known() {
        return known;
    }

    /** Takes what {@link PartitionSetup} has read in place of what was known: all partitions of each destination. */
    void learn(Map<String, SortedMap<Integer, Long>> ids) {
        known = ids;
    }

    /** The number of partitions for keys, which begin at 0: also the number of the one for a backfill. */
    static int count(SortedMap<Integer, Long> ids) {
        return ids.lastKey();
    }
}
