package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable.BlockedKey;
import dev.cdioutbox.internal.store.blockedkey.PendingMaintenance;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageRow;
import dev.cdioutbox.internal.store.sql.OutboxStatements;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Reads the due messages of locked partitions and their blocked keys in order, and skips waiting keys. Belongs to one
 * claim.
 */
final class QueueReader {
    private final OutboxStatements sql;
    private final MessageRow row;
    private final ClaimLimits limits;
    private final PartitionLock.LockedPartitions locked;
    private final BlockedKeyTable blockedKeys;
    private final RoundRobinStart roundRobinStart;
    private final ReadWatermark watermark;
    private final FetchSize fetchSize;
    private final PendingMaintenance doneMaintenance;
    private final PendingMaintenance maintenance = new PendingMaintenance();
    private final InDoubtRows inDoubt = new InDoubtRows();
    private final Batch batch;
    /** The scans by queue id, in the order of reading. */
    private final Map<Long, QueueScan> scans = new LinkedHashMap<>();
    /** The scans that need a further page. */
    private final List<QueueScan> unread = new ArrayList<>();

    private DatabaseClock clock;
    private boolean rereads;
    private boolean rotatesStart = true;
    private boolean skippedBlockedKeys;

    /** @param done the maintenance done before this read */
    QueueReader(
            OutboxStatements sql,
            ClaimLimits limits,
            PartitionLock.LockedPartitions locked,
            BlockedKeyTable blockedKeys,
            RoundRobinStart roundRobinStart,
            ReadWatermark watermark,
            PendingMaintenance done) {
        this.sql = sql;
        this.row = new MessageRow(sql.dialect());
        this.limits = limits;
        this.locked = locked;
        this.blockedKeys = blockedKeys;
        this.roundRobinStart = roundRobinStart;
        this.watermark = watermark;
        this.fetchSize = new FetchSize(limits.bytes());
        this.doneMaintenance = done;
        this.batch = new Batch(limits, locked.partitions(), inDoubt);
    }

    Batch batch() {
        return batch;
    }

    /** The database's clock at the last page with a row; null without one. */
    DatabaseClock clock() {
        return clock;
    }

    /** The maintenance that the claim has to do. */
    PendingMaintenance maintenance() {
        return maintenance;
    }

    /**
     * Fills the batch. Reads further pages of a partition while all its rows have to wait, so that these hide no
     * sendable message.
     */
    void read(Connection connection) throws SQLException {
        readQueues(connection);
        if (batch.isEmpty() && skippedBlockedKeys) {
            reset();
            readQueues(connection);
        }
    }

    private void readQueues(Connection connection) throws SQLException {
        openScans(connection);
        while (!unread.isEmpty() && !batch.isFull()) {
            readPage(connection);
        }
    }

    /** Opens the scans of each partition: its due blocked keys first, without those in doubt. */
    private void openScans(Connection connection) throws SQLException {
        int ofEach = BlockedKeyTable.perPartition(locked.withDueBlockedKeys().size());
        List<BlockedKey> due = blockedKeys.due(connection, locked.withDueBlockedKeys(), ofEach + inDoubt.keys());
        for (int partition : locked.partitions()) {
            List<BlockedKey> free = due.stream()
                    .filter(key -> key.partition() == partition && !inDoubt.includes(key.key()))
                    .toList();
            List<BlockedKey> served = rotatesStart ? roundRobinStart.startingAt(partition, free) : free;
            skippedBlockedKeys |= served.size() < free.size();
            List<BlockedKey> scanned = served.stream().limit(ofEach).toList();
            long share = scanned.isEmpty() ? Long.MAX_VALUE : limits.bytes() / (scanned.size() + 1);
            for (BlockedKey key : scanned) {
                QueueScan scan = open(new QueueScan(key.id(), partition, key.key(), 0, share));
                if (free.size() < ofEach) {
                    scan.fullyRead();
                }
            }
            open(new QueueScan(partition, partition, null, watermark.of(partition), share));
        }
    }

    private QueueScan open(QueueScan scan) {
        scans.put(scan.queue(), scan);
        unread.add(scan);
        return scan;
    }

    private void readPage(Connection connection) throws SQLException {
        int pageSize = Math.max(1, limits.messages() / unread.size());
        long commitWatermark = watermark.commitWatermark();
        unread.forEach(QueueScan::beginPage);
        selectPage(connection, pageSize);
        raiseWatermarks(commitWatermark);
        batch.skipKeys(overtakingKeys(connection));
        List<QueueScan> whole = batch.isFull() ? unread.subList(0, unread.indexOf(batch.end())) : unread;
        collectMaintenance(whole, pageSize);
        whole.stream()
                .filter(scan -> !scan.isBlockedKey() && scan.isAtEnd(pageSize))
                .forEach(QueueScan::fullyRead);
        Set<Integer> partitionsToClear = partitionsToClear();
        unread.removeIf(scan -> scan.isBlockedKey()
                || scan.pageWasAccepted()
                || scan.isAtEnd(pageSize)
                || !scan.blockedKeysMet().isEmpty() && partitionsToClear.contains(scan.partition()));
    }

    private void selectPage(Connection connection, int pageSize) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.readQueues(unread.size()))) {
            int parameter = 0;
            for (QueueScan scan : unread) {
                select.setLong(++parameter, scan.queue());
                select.setLong(++parameter, scan.pageStart());
                select.setInt(++parameter, pageSize);
            }
            // Without a fetch size, drivers load a whole page of payloads before their sizes are known.
            fetchSize.begin(select);
            try (ResultSet rows = select.executeQuery()) {
                for (boolean first = true; !batch.isFull() && rows.next(); first = false) {
                    if (first) {
                        clock = DatabaseClock.at(row.readAt(rows));
                    }
                    QueueScan scan = scans.get(rows.getLong("queue_id"));
                    ClaimedMessage message = claimed(rows);
                    fetchSize.next(rows, Math.max(message.bytes(), rows.getInt("payload_bytes")));
                    scan.add(message, batch.accept(scan, message));
                }
            }
        }
    }

    private ClaimedMessage claimed(ResultSet rows) throws SQLException {
        long sequence = rows.getLong("seq");
        String key = sql.dialect().decodeText(rows.getString("ordering_key"));
        boolean due = rows.getInt("due") == 1;
        boolean blocked = rows.getInt("key_blocked") == 1;
        try {
            return new ClaimedMessage(sequence, key, blocked, due, row.message(rows), null);
        } catch (RuntimeException | SQLDataException unreadable) {
            // An unreadable row must not fail the whole claim.
            return new ClaimedMessage(sequence, key, blocked, due, null, String.valueOf(unreadable.getMessage()));
        }
    }

    /** @param commitWatermark the commit watermark before the page was read */
    private void raiseWatermarks(long commitWatermark) {
        for (QueueScan scan : unread) {
            boolean emptyUpToFirst = !batch.isFull() || !scan.isPageEmpty();
            if (!scan.isBlockedKey() && scan.isFirstPage() && emptyUpToFirst) {
                watermark.raise(scan.queue(), scan.start(), Math.min(commitWatermark, scan.firstOfPage() - 1));
            }
        }
    }

    /**
     * The keys with a new row in the range of an earlier page. Each page shows the state at its own time. Since the
     * previous page, a transaction may have committed a message there. A later message of its key on this page must
     * then wait.
     */
    private Set<String> overtakingKeys(Connection connection) throws SQLException {
        Set<String> overtaking = new HashSet<>();
        for (QueueScan scan : unread) {
            if (!scan.isFirstPage() && !scan.acceptedKeys().isEmpty()) {
                overtaking.addAll(keysBetweenPages(connection, scan, scan.acceptedKeys()));
            }
        }
        return overtaking;
    }

    private Set<String> keysBetweenPages(Connection connection, QueueScan scan, Set<String> wanted)
            throws SQLException {
        List<String> stored = wanted.stream().map(sql.dialect()::encodeText).toList();
        return Set.copyOf(
                JdbcStatement.of(connection, sql.keysBetween, scan.queue(), scan.start(), scan.pageStart(), stored)
                        .list(row -> sql.dialect().decodeText(row.getString(1))));
    }

    /** @param whole the scans with a completely read page */
    private void collectMaintenance(List<QueueScan> whole, int pageSize) {
        // All blocked messages of such a key were read, so its later messages can stay in the partition. The next claim
        // will probably remove the blocked-key row.
        Set<String> catchingUp = new HashSet<>();
        for (QueueScan scan : whole) {
            if (!scan.isBlockedKey()) {
                continue;
            }
            if (scan.isPageEmpty()) {
                maintenance.emptyKeys.add(scan.queue());
            } else if (scan.firstIsNotDue()) {
                maintenance.notYetDue.add(scan.queue());
            } else if (scan.isAtEnd(pageSize)) {
                catchingUp.add(scan.blockedKey());
            }
        }
        for (QueueScan scan : unread) {
            Set<String> met = scan.blockedKeysMet();
            if (!met.isEmpty() && (!scan.isFirstPage() || !catchingUp.containsAll(met))) {
                maintenance.partitionsToClear.add(scan.partition());
            }
        }
    }

    /**
     * The partitions to read no further: queue maintenance first moves their messages to blocked keys, a part by each
     * claim.
     */
    private Set<Integer> partitionsToClear() {
        if (rereads) {
            return doneMaintenance.clearedPartitions();
        }
        Set<Integer> cleared = new HashSet<>(maintenance.partitionsToClear);
        cleared.removeAll(doneMaintenance.lockedPartitions);
        return cleared;
    }

    /**
     * Removes rows that are not lockable, and later rows of their keys. If no row of a queue is left although the queue
     * may have more, the claim must read all queues again without these rows. They must neither hide later rows nor
     * take the room of others.
     *
     * @return whether the claim has to read all queues again
     */
    boolean removeUnlockable(Set<Long> lockable) {
        Set<QueueScan> emptied = batch.servedQueues();
        batch.removeUnlockable(lockable);
        emptied.removeAll(batch.servedQueues());
        boolean again =
                !emptied.isEmpty() && (batch.isEmpty() || emptied.stream().anyMatch(QueueScan::hidesRows));
        if (again) {
            reset();
            rereads = true;
        }
        return again;
    }

    private void reset() {
        rotatesStart = false;
        skippedBlockedKeys = false;
        batch.reset();
        scans.clear();
        unread.clear();
    }

    /** Records the start of the next batches after a complete batch. */
    void recordBatchEnd() {
        for (int partition : locked.partitions()) {
            if (batch.isFull() && batch.end().partition() == partition) {
                recordBatchEndAt(batch.end(), batch.end().hasAccepted());
                return;
            }
            roundRobinStart.reset(partition);
        }
    }

    /** Records the start of the next batch after a batch that ended before one of its messages. */
    void recordBatchEndBefore(OutboxMessage message) {
        QueueScan queue = batch.queueOf(message);
        recordBatchEndAt(queue, batch.before(message).stream().anyMatch(accepted -> accepted.queue() == queue));
    }

    private void recordBatchEndAt(QueueScan queue, boolean hadPart) {
        List<Long> keys = scans.values().stream()
                .filter(scan -> scan.isBlockedKey() && scan.partition() == queue.partition())
                .map(QueueScan::queue)
                .toList();
        roundRobinStart.batchEndedAt(queue.queue(), hadPart, queue.partition(), keys);
    }

    /**
     * The blocked keys of a repeated read. The claim must remove empty ones at its end: with them the next claim could
     * not reach later ones.
     */
    PendingMaintenance remainingMaintenance() {
        PendingMaintenance remaining = new PendingMaintenance();
        if (rereads) {
            scans.values().stream()
                    .filter(QueueScan::isBlockedKey)
                    .forEach(scan -> remaining.emptyKeys.add(scan.queue()));
            remaining.notYetDue.addAll(maintenance.notYetDue);
        }
        return remaining;
    }
}
