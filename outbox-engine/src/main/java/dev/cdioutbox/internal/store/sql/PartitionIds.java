package dev.cdioutbox.internal.store.sql;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.CRC32;

import dev.cdioutbox.internal.store.NewMessage;

/**
 * The ids of an application's partitions, which are the {@linkplain QueueId queues} of their waiting messages. Computed, and
 * never read from the database. Thread-safe.
 *
 * <table>
 * <caption>The numbers of a destination with n partitions</caption>
 * <tr><td>{@link #BACKFILL}</td><td>the copies of a {@linkplain dev.cdioutbox.internal.store.operate.BackfillTable backfill}.
 *     Claimed like those of the keys, and alone while the backfill runs</td></tr>
 * <tr><td>{@value #FIRST_OF_KEYS} to n + 1</td><td>the other messages, by their keys</td></tr>
 * <tr><td>{@link #DELAYED}</td><td>delayed messages. Not claimed</td></tr>
 * <tr><td>{@link #FENCING_TOKEN}</td><td>no messages: the row of the {@linkplain dev.cdioutbox.internal.store.FencingToken
 *     token}</td></tr>
 * </table>
 */
public final class PartitionIds {
    public static final int BACKFILL = 1;

    public static final int FIRST_OF_KEYS = 2;

    public static final int DELAYED = QueueId.NUMBERS - 2;

    public static final int FENCING_TOKEN = QueueId.NUMBERS - 1;

    private final String application;
    private final int partitions;
    private final Map<String, Integer> counts;
    /** Where the numbers of a destination begin. */
    private final Map<String, Long> begins = new ConcurrentHashMap<>();

    /**
     * @param partitions the number of partitions for keys, of each configured destination
     * @param counts the same of each destination that has rows: one that was configured in the past may have another number
     */
    public PartitionIds(String application, int partitions, Map<String, Integer> counts) {
        this.application = application;
        this.partitions = partitions;
        this.counts = counts;
    }

    /** The partition of a message: the same one for a key on every node; by the message id without a key. */
    public long home(NewMessage message) {
        String key = message.event().key();
        int count = counts.getOrDefault(message.destination(), partitions);
        return id(
                message.destination(),
                message.context().originSequence() != null
                        ? BACKFILL
                        : FIRST_OF_KEYS + ofKey(key == null ? message.id().toString() : key, count));
    }

    /** The partition of a key, from 0. */
    public static int ofKey(String key, int partitions) {
        CRC32 hash = new CRC32();
        hash.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % partitions);
    }

    public long id(String destination, int number) {
        return begins.computeIfAbsent(
                        destination, name -> QueueId.of(application, name, 0).value())
                + number;
    }

    /** The first partition that a claim takes. */
    public long first(String destination) {
        return id(destination, BACKFILL);
    }

    /** The last partition that a claim takes. */
    public long last(String destination) {
        return id(destination, end() - 1);
    }

    /** The number behind that of the last partition that a claim takes. */
    public int end() {
        return FIRST_OF_KEYS + partitions;
    }

    public String application() {
        return application;
    }

    /** The partitions that a claim takes, in the order of their numbers, which is that of their ids. */
    public List<Long> claimed(String destination) {
        return LongStream.rangeClosed(first(destination), last(destination))
                .boxed()
                .toList();
    }

    /** The numbers of all rows of a destination. */
    public static IntStream numbers(int partitions) {
        return IntStream.concat(
                IntStream.range(BACKFILL, FIRST_OF_KEYS + partitions), IntStream.of(DELAYED, FENCING_TOKEN));
    }
}
