package dev.cdioutbox.internal.store.sql;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32;

/** The ids of this application's partitions, by destination and number. Immutable. */
public final class PartitionIds {
    /** The number of the partition that holds delayed messages. */
    public static final int DELAYED = -1;

    private final Map<String, List<Integer>> idsByDestination;

    /** @param idsByDestination the ids by number, beginning with the id of {@link #DELAYED} */
    public PartitionIds(Map<String, List<Integer>> idsByDestination) {
        this.idsByDestination = Map.copyOf(idsByDestination);
    }

    int count(String destination) {
        return idsByDestination.get(destination).size() - 1;
    }

    /** The partition of a message: the same one for a key on every node; by the message id without a key. */
    public int number(String destination, String key, UUID id) {
        CRC32 hash = new CRC32();
        hash.update((key == null ? id.toString() : key).getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % count(destination));
    }

    /** The ids of the partitions by number, without the delayed messages. */
    public List<Integer> queueIds(String destination) {
        return idsByDestination.get(destination).stream().skip(-DELAYED).toList();
    }

    public int queueId(String destination, int number) {
        return idsByDestination.get(destination).get(number - DELAYED);
    }
}
