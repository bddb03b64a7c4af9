package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.claim.Batch.Queue;
import dev.cdioutbox.internal.store.claim.Batch.Row;
import dev.cdioutbox.internal.store.claim.BlockedKeys.BlockedKey;
import dev.cdioutbox.internal.store.claim.PartitionClaim.Partitions;

/**
 * Reads the queues of reserved partitions into a batch. One thread uses it, for one batch:
 *
 * <pre>
 *   read pages, until rows to send are found or the queues end ─► probe locks ─► the batch
 *        ▲                                                             │
 *        └──────────────── rows are locked: leave them out ────────────┘
 * </pre>
 *
 * <p><b>Each page begins at the start of its queues</b>, because two pages show two moments. Suppose that message 90 of a
 * key is not committed when a page ends at 100. Then 90 is committed, and after it message 150 of the same key. A second
 * page that began at 101 would have 150 without 90.
 */
final class BatchReader {
    private final MessageClaimer parts;
    private final Connection connection;
    private final Reservation reservation;
    private final Partitions partitions;
    private final ClaimLimits limits;

    /** The rows that the probe has found locked, and their keys. */
    private final Set<Long> inDoubt = new HashSet<>();

    private final Set<String> keysInDoubt = new HashSet<>();

    private DatabaseClock clock;

    /**
     * @param clock the database's; null if no row was read
     * @param inDoubt the rows that were left out with their keys, because another transaction locks them
     */
    record Reading(Batch batch, DatabaseClock clock, Set<Long> inDoubt) {}

    BatchReader(
            MessageClaimer parts,
            Connection connection,
            Reservation reservation,
            Partitions partitions,
            ClaimLimits limits) {
        this.parts = parts;
        this.connection = connection;
        this.reservation = reservation;
        this.partitions = partitions;
        this.limits = limits;
    }

    /**
     * Locked rows must neither hide later ones nor take the room of others. So this reads again without them, which is less
     * code than taking them out of a batch and finding out which queues that has emptied.
     */
    Reading read(LockProbe probe) throws Exception {
        Batch batch;
        do {
            batch = readPages();
        } while (findLocked(batch, probe));
        return new Reading(batch, clock, inDoubt);
    }

    private Batch readPages() throws SQLException {
        Batch batch = new Batch(limits, inDoubt, keysInDoubt);
        List<Queue> queues = queues();
        int pageSize = 0;
        while (!queues.isEmpty()) {
            // At first, the pages of all queues together fill a batch.
            pageSize = Math.max(2 * pageSize, Math.max(1, limits.messages() / queues.size()));
            batch.beginPage(queues, pageSize);
            DatabaseClock now = parts.reader.read(
                    connection, reservation.destination(), queues, pageSize, limits.bytes(), batch::add);
            clock = clock == null ? now : clock;
            queues = batch.hidden(queues, parts.blockedKeys.stuck());
        }
        readFollowers(batch);
        return batch;
    }

    /** Goes on behind the rows that were read: no insert comes into the queue of a blocked key while this claim has its partition. */
    private void readFollowers(Batch batch) throws SQLException {
        for (List<Queue> queues = batch.beginFollowers(); !queues.isEmpty(); queues = batch.beginFollowers()) {
            parts.reader.read(connection, reservation.destination(), queues, 1, limits.bytes(), row -> {
                batch.add(row);
                return true;
            });
        }
    }

    /** The partitions with their due blocked keys, except those in doubt. */
    private List<Queue> queues() throws SQLException {
        Map<Long, List<BlockedKey>> due = partitions.withDueBlockedKeys().isEmpty()
                ? Map.of()
                : parts.blockedKeys.due(connection, partitions.withDueBlockedKeys(), keysInDoubt);
        List<Queue> queues = new ArrayList<>();
        for (long partition : partitions.ids()) {
            List<BlockedKey> keys = due.getOrDefault(partition, List.of());
            long share = keys.isEmpty() ? Long.MAX_VALUE : limits.bytes() / (keys.size() + 1);
            List<Queue> ofPartition = new ArrayList<>();
            keys.forEach(key -> ofPartition.add(new Queue(key.id(), partition, 0, share)));
            ofPartition.add(new Queue(partition, partition, parts.watermark.of(partition), share));
            // Otherwise the first queues could fill every batch.
            Collections.rotate(ofPartition, ThreadLocalRandom.current().nextInt(ofPartition.size()));
            queues.addAll(ofPartition);
        }
        return queues;
    }

    /** @return whether rows of the batch are locked */
    private boolean findLocked(Batch batch, LockProbe probe) throws Exception {
        List<Row> probed = batch.rows().stream().filter(reservation::mustProbe).toList();
        if (probed.isEmpty()) {
            return false;
        }
        Set<Long> free = probe.lockable(probed.stream().map(Row::sequence).toList());
        for (Row row : probed) {
            if (!free.contains(row.sequence())) {
                inDoubt.add(row.sequence());
                if (row.key() != null) {
                    keysInDoubt.add(row.key());
                }
            }
        }
        return free.size() < probed.size();
    }
}
