package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Reads a batch from the queues of reserved partitions. In most cases the batch is the first page of each queue, which one
 * statement reads:
 *
 * <pre>
 *   read the first pages ─► perhaps {@link FurtherPages} ─► probe locks ─► the batch
 *        ▲                                                       │
 *        └────────── rows are locked: leave them out ────────────┘
 * </pre>
 *
 * Thread-safe.
 */
final class BatchReader {
    private final ReadWatermark watermark;
    private final DueBlockedKeys dueBlockedKeys;
    private final PageReader pages;
    private final FurtherPages furtherPages;

    BatchReader(Sql sql, ReadWatermark watermark, BlockedKeyMaintenance maintenance) {
        this.watermark = watermark;
        dueBlockedKeys = new DueBlockedKeys(sql);
        pages = new PageReader(sql);
        furtherPages = new FurtherPages(pages, maintenance);
    }

    /**
     * Locked rows must neither hide later ones nor take the room of others. So this reads again without them, which is less
     * code than taking them out of a batch and finding out which queues that has emptied.
     *
     * @param connection in the transaction of {@link Reservation#reserve}
     */
    Batch read(
            Connection connection, Reservation reservation, Partitions partitions, ClaimLimits limits, LockProbe probe)
            throws Exception {
        Batch batch = new Batch(limits);
        readPages(connection, reservation.destination(), partitions, batch);
        List<Row> locked = locked(batch, reservation, probe);
        while (!locked.isEmpty()) {
            batch = batch.without(locked);
            readPages(connection, reservation.destination(), partitions, batch);
            locked = locked(batch, reservation, probe);
        }
        return batch;
    }

    private void readPages(Connection connection, String destination, Partitions partitions, Batch batch)
            throws SQLException {
        if (partitions.ids().isEmpty()) {
            return;
        }
        List<Queue> queues = queues(connection, partitions, batch);
        int pageSize = batch.pageSize(queues.size());
        batch.begin(queues, pageSize);
        batch.readAt(pages.read(
                connection, destination, queues, pageSize, batch.limits().bytes(), batch::add));
        if (batch.needsMorePages()) {
            furtherPages.read(connection, destination, batch);
        }
    }

    /** Partition by partition. */
    private List<Queue> queues(Connection connection, Partitions partitions, Batch batch) throws SQLException {
        List<Long> withKeys = partitions.withDueBlockedKeys();
        Map<Long, List<Long>> keys =
                withKeys.isEmpty() ? Map.of() : dueBlockedKeys.find(connection, withKeys, batch.keysInDoubt());
        List<Queue> queues = new ArrayList<>();
        for (long partition : partitions.ids()) {
            queues.addAll(queues(
                    partition,
                    keys.getOrDefault(partition, List.of()),
                    batch.limits().bytes()));
        }
        return queues;
    }

    /** A partition and its blocked keys share the batch, and any of them may come first: otherwise one could fill every batch. */
    private List<Queue> queues(long partition, List<Long> blockedKeys, long bytes) {
        if (blockedKeys.isEmpty()) {
            return List.of(new Queue(partition, watermark.of(partition), Long.MAX_VALUE));
        }
        long share = bytes / (blockedKeys.size() + 1);
        List<Queue> queues = new ArrayList<>();
        blockedKeys.forEach(key -> queues.add(new BlockedKeyQueue(key, partition, share)));
        queues.add(new Queue(partition, watermark.of(partition), share));
        Collections.rotate(queues, ThreadLocalRandom.current().nextInt(queues.size()));
        return queues;
    }

    private static List<Row> locked(Batch batch, Reservation reservation, LockProbe probe) throws Exception {
        List<Row> perhaps = batch.rows().stream().filter(reservation::mustProbe).toList();
        if (perhaps.isEmpty()) {
            return perhaps;
        }
        Set<Long> free = probe.lockable(perhaps.stream().map(Row::sequence).toList());
        return perhaps.stream().filter(row -> !free.contains(row.sequence())).toList();
    }
}
