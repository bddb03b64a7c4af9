package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.internal.store.claim.PartitionClaim.Partitions;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Reads the queues of reserved partitions into a batch. In most cases the batch is the first page of each queue, which one
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
    private final QueueReader queueReader;
    private final ReadWatermark watermark;
    private final BlockedKeys blockedKeys;
    private final FurtherPages furtherPages;

    BatchReader(QueueReader queueReader, ReadWatermark watermark, BlockedKeys blockedKeys) {
        this.queueReader = queueReader;
        this.watermark = watermark;
        this.blockedKeys = blockedKeys;
        furtherPages = new FurtherPages(queueReader, blockedKeys);
    }

    /**
     * Locked rows must neither hide later ones nor take the room of others. So this reads again without them, which is less
     * code than taking them out of a batch and finding out which queues that has emptied.
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
        batch.readAt(queueReader.read(
                connection, destination, queues, pageSize, batch.limits().bytes(), batch::add));
        if (batch.needsMorePages()) {
            furtherPages.read(connection, destination, batch);
        }
    }

    private List<Queue> queues(Connection connection, Partitions partitions, Batch batch) throws SQLException {
        return partitions.withDueBlockedKeys().isEmpty()
                ? partitions.ids().stream()
                        .map(id -> Queue.ofPartition(id, watermark.of(id)))
                        .toList()
                : blockedKeys.queues(connection, partitions, batch);
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
