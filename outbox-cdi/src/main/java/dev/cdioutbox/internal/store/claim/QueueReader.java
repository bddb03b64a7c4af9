package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.blockedkey.BlockedKey;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.blockedkey.QueueMaintenance;
import dev.cdioutbox.internal.store.sql.ClaimedMessage;
import dev.cdioutbox.internal.store.sql.FetchSize;
import dev.cdioutbox.internal.store.sql.MessageRow;
import dev.cdioutbox.internal.store.sql.OutboxStatements;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Reads the due messages of locked partitions and their blocked keys in order, and skips keys that wait. Belongs to one
 * claim.
 */
final class QueueReader {
    private final OutboxStatements sql;
    private final MessageRow row;
    private final ClaimLimits limits;
    private final InDoubtRows inDoubt = new InDoubtRows();
    private final Batch batch;
    private final Set<Long> fullyReadQueues = new HashSet<>();
    private final PartitionLock.LockedPartitions locked;
    private final BlockedKeyTable blockedKeyTable;
    private final Map<Long, BlockedKey> blockedKeys = new LinkedHashMap<>();
    private final QueueMaintenance maintenance = new QueueMaintenance();
    private final ReadWatermark watermark;
    private final Map<Long, Long> positions = new LinkedHashMap<>();
    private final Map<Long, Long> firstPageStarts = new LinkedHashMap<>();
    private final FairQueueOrder queueOrder;
    private final FetchSize fetchSize;
    private final QueueMaintenance doneMaintenance;
    private DatabaseClock clock;
    private boolean restarted;
    private boolean rotatesStart = true;
    private boolean skippedBlockedKeys;

    /**
     * @param before what the claim has put in order already
     */
    QueueReader(
            OutboxStatements sql,
            ClaimLimits limits,
            PartitionLock.LockedPartitions locked,
            BlockedKeyTable blockedKeys,
            ReadWatermark watermark,
            QueueMaintenance before) {
        this.doneMaintenance = before;
        this.watermark = watermark;
        this.sql = sql;
        this.row = new MessageRow(sql.dialect());
        this.limits = limits;
        this.locked = locked;
        this.blockedKeyTable = blockedKeys;
        this.queueOrder = new FairQueueOrder(locked.partitions(), limits.bytes());
        this.fetchSize = new FetchSize(limits.bytes());
        this.batch = new Batch(limits, queueOrder, inDoubt);
    }

    /** The maintenance that the claim has to do. */
    QueueMaintenance maintenance() {
        return maintenance;
    }

    Batch batch() {
        return batch;
    }

    /** The order in which the queues share the batch. */
    FairQueueOrder queueOrder() {
        return queueOrder;
    }

    /** As of the last page with a row; null if there was none. */
    DatabaseClock clock() {
        return clock;
    }

    /** Reads further pages of each partition whose rows all have to wait, so that they hide no sendable message. */
    void read(Connection connection) throws SQLException {
        if (positions.isEmpty()) {
            begin(connection);
        }
        readPages(connection);
        if (batch.isEmpty() && skippedBlockedKeys) {
            reset();
            begin(connection);
            readPages(connection);
        }
    }

    private void readPages(Connection connection) throws SQLException {
        while (!positions.isEmpty() && !queueOrder.isFull()) {
            readPage(connection);
        }
    }

    /** The batch is complete: records the queues with which the next batches begin. */
    void recordBatchEnd() {
        for (int partition : locked.partitions()) {
            if (queueOrder.isBatchEnd(partition)) {
                long queue = queueOrder.endQueue();
                blockedKeyTable
                        .roundRobinStart()
                        .batchEndedAt(queue, queueOrder.hasAccepted(queue), partition, blockedKeysOf(partition));
                return;
            }
            blockedKeyTable.roundRobinStart().reset(partition);
        }
    }

    /** The batch ended before one of its messages. */
    void recordBatchEndBefore(OutboxMessage message) {
        int partition = queueOrder.partitionOf(message);
        long queue = queueOrder.queueOf(message);
        boolean hadPart = batch.messages().stream()
                .takeWhile(before -> before.sequence() != message.sequence())
                .anyMatch(before -> queueOrder.queueOf(before) == queue);
        blockedKeyTable.roundRobinStart().batchEndedAt(queue, hadPart, partition, blockedKeysOf(partition));
    }

    private List<Long> blockedKeysOf(int partition) {
        return blockedKeys.values().stream()
                .filter(blockedKey -> blockedKey.partition() == partition)
                .map(BlockedKey::id)
                .toList();
    }

    /** Begins with the due blocked keys, without those that are in doubt. */
    private void begin(Connection connection) throws SQLException {
        int ofEach = BlockedKeyTable.perPartition(locked.withDueBlockedKeys().size());
        List<BlockedKey> due = blockedKeyTable.due(connection, locked.withDueBlockedKeys(), ofEach + inDoubt.keys());
        for (int partition : locked.partitions()) {
            List<BlockedKey> free = due.stream()
                    .filter(blockedKey -> blockedKey.partition() == partition && !inDoubt.includes(blockedKey.key()))
                    .toList();
            List<BlockedKey> keysToServe =
                    rotatesStart ? blockedKeyTable.roundRobinStart().startingAt(partition, free) : free;
            skippedBlockedKeys |= keysToServe.size() < free.size();
            keysToServe.stream().limit(ofEach).forEach(this::begin);
            if (free.size() < ofEach) {
                free.forEach(blockedKey -> fullyReadQueues.add(blockedKey.id()));
            }
            positions.put((long) partition, watermark.of(partition));
            queueOrder.add(partition, partition);
        }
        firstPageStarts.putAll(positions);
    }

    private void begin(BlockedKey blockedKey) {
        blockedKeys.put(blockedKey.id(), blockedKey);
        positions.put(blockedKey.id(), 0L);
        queueOrder.add(blockedKey.id(), blockedKey.partition());
    }

    /**
     * Removes rows that are not lockable, and their followers. If these were all rows of a queue that has more,
     * everything is read again without them: they must neither hide the rows behind them nor take the room of others.
     *
     * @return whether everything is read again
     */
    boolean removeUnlockable(Set<Long> lockable) {
        Set<Long> had = batch.servedQueues();
        batch.removeUnlockable(lockable);
        had.removeAll(batch.servedQueues());
        fullyReadQueues.removeAll(batch.truncatedQueues());
        if (!had.isEmpty() && (batch.isEmpty() || !fullyReadQueues.containsAll(had))) {
            reset();
            restarted = true;
            return true;
        }
        return false;
    }

    private void reset() {
        rotatesStart = false;
        skippedBlockedKeys = false;
        batch.reset();
        fullyReadQueues.clear();
        queueOrder.reset();
        blockedKeys.clear();
        positions.clear();
        firstPageStarts.clear();
    }

    private void readPage(Connection connection) throws SQLException {
        List<Long> queues = List.copyOf(positions.keySet());
        int pageSize = Math.max(1, limits.messages() / queues.size());
        long commitWatermark = watermark.commitWatermark();
        ReadPage read = new ReadPage(sql, positions, firstPageStarts);
        try (PreparedStatement select = connection.prepareStatement(sql.readQueues(queues.size()))) {
            int parameter = 0;
            for (long queue : queues) {
                select.setLong(++parameter, queue);
                select.setLong(++parameter, positions.get(queue));
                select.setInt(++parameter, pageSize);
            }
            // Without a fetch size, drivers load a whole page of payloads before their sizes are known.
            fetchSize.begin(select);
            try (ResultSet rows = select.executeQuery()) {
                while (!queueOrder.isFull() && rows.next()) {
                    clock = read.isEmpty() ? DatabaseClock.at(row.readAt(rows)) : clock;
                    long queue = rows.getLong("queue_id");
                    ClaimedMessage message = row.claimed(rows);
                    fetchSize.next(rows, Math.max(message.bytes(), rows.getInt("payload_bytes")));
                    read.add(queue, message, batch.accept(queue, queueOrder.partitionOf(queue), message));
                }
            }
        }
        read.raiseWatermarks(watermark, locked.queues(), commitWatermark, !queueOrder.isFull());
        batch.skipKeys(read.overtakingKeys(connection));
        List<Long> whole = queueOrder.fullyRead(queues);
        read.collectMaintenance(whole, blockedKeys, pageSize, maintenance);
        whole.stream()
                .filter(queue -> !blockedKeys.containsKey(queue) && read.isAtEnd(queue, pageSize))
                .forEach(fullyReadQueues::add);
        positions
                .keySet()
                .removeIf(queue -> blockedKeys.containsKey(queue) || read.isDone(queue, pageSize, partitionsToClear()));
        positions.replaceAll((queue, previous) -> read.last(queue));
    }

    /**
     * The partitions that are not read further, since their messages are first moved to blocked keys, a part by each
     * claim.
     */
    private Set<Integer> partitionsToClear() {
        if (restarted) {
            return doneMaintenance.clearedPartitions();
        }
        Set<Integer> cleared = new HashSet<>(maintenance.partitionsToClear);
        cleared.removeAll(doneMaintenance.lockedPartitions);
        return cleared;
    }

    /**
     * The blocked keys of a repeated read: empty ones must be removed when the claim ends, or they would keep later
     * ones from being read.
     */
    QueueMaintenance remainingMaintenance() {
        QueueMaintenance remaining = new QueueMaintenance();
        if (restarted) {
            remaining.emptyKeys.addAll(blockedKeys.keySet());
            remaining.notYetDue.addAll(maintenance.notYetDue);
        }
        return remaining;
    }
}
