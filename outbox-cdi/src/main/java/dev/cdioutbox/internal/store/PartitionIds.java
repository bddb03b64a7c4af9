package dev.cdioutbox.internal.store;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32;

/** The queues of this application: for each destination, the ids of its partitions by number. Immutable. */
final class PartitionIds {
    /** The number of the partition in which a destination's delayed messages wait. */
    static final int DELAYED = -1;

    private final Map<String, int[]> idsByDestination;

    /**
     * @param idsByDestination the ids by number, beginning with that of {@link #DELAYED}
     */
    PartitionIds(Map<String, int[]> idsByDestination) {
        this.idsByDestination = Map.copyOf(idsByDestination);
    }

    int count(String destination) {
        return idsByDestination.get(destination).length - 1;
    }

    /** The same key goes to the same partition on every node; what has no key is spread by its id. */
    int number(String destination, String key, UUID id) {
        CRC32 hash = new CRC32();
        hash.update((key == null ? id.toString() : key).getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % count(destination));
    }

    int queueId(String destination, int number) {
        return idsByDestination.get(destination)[number - DELAYED];
    }
}
