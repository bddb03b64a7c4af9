package dev.cdioutbox.internal.store.sql;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32;

/** The ids of this application's partitions, by destination and number. Immutable. */
public final class PartitionIds {
    /** The number of the partition that holds delayed messages. */
    public static final int DELAYED = -1;

    private final Map<String, int[]> idsByDestination;

    /**
     * @param idsByDestination the ids by number, beginning with that of {@link #DELAYED}
     */
    public PartitionIds(Map<String, int[]> idsByDestination) {
        this.idsByDestination = Map.copyOf(idsByDestination);
    }

    int count(String destination) {
        return idsByDestination.get(destination).length - 1;
    }

    /** The same key has the same partition on every node; messages without a key are spread by their ids. */
    public int number(String destination, String key, UUID id) {
        CRC32 hash = new CRC32();
        hash.update((key == null ? id.toString() : key).getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % count(destination));
    }

    /** By number. */
    public List<Integer> queueIds(String destination) {
        return Arrays.stream(idsByDestination.get(destination))
                .skip(-DELAYED)
                .boxed()
                .toList();
    }

    public int queueId(String destination, int number) {
        return idsByDestination.get(destination)[number - DELAYED];
    }
}
