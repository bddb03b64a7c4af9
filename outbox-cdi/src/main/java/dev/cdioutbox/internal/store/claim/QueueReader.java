package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.ClaimLimits;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable.BlockedKey;
import dev.cdioutbox.internal.store.blockedkey.PendingMaintenance;
import dev.cdioutbox.internal.store.claim.PartitionLock.LockedPartitions;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.MessageRow;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Reads the due messages of locked partitions and their blocked keys into a batch, each queue in order, and skips waiting
 * keys. Thread-safe; each claim has its own {@link Reading}.
 */
public final class QueueReader {
    private final Dialect dialect;
    private final MessageRow row;
    private final BlockedKeyTable blockedKeys;
    private final ReadWatermark watermark;
    /**
     * The last queue of each partition that a batch served: the next batch begins with the queue after it. Otherwise the
     * first queues could fill every batch. Only fairness depends on it.
     */
    private final Map<Integer, Long> lastQueues = new ConcurrentHashMap<>();

    private final String readQueue;
    /** The keys, among those in a list, of messages in a range of a queue. */
    private final String keysBetween;

    public QueueReader(String prefix, Dialect dialect, BlockedKeyTable blockedKeys, ReadWatermark watermark) {
        this.dialect = dialect;
        this.row = new MessageRow(dialect);
        this.blockedKeys = blockedKeys;
        this.watermark = watermark;
        String message = prefix + "message";
        String read = """
                SELECT %1$s, CASE WHEN status = 'PENDING' OR status = 'FAILED' AND available_at IS NULL
                   OR available_at <= %2$s THEN 1 ELSE 0 END AS due,
                   CASE WHEN not_before IS NULL AND (SELECT 1 FROM %4$sblocked_key g WHERE g.partition_id = m.queue_id
                     AND g.message_key = m.message_key %5$s) IS NOT NULL THEN 1 ELSE 0 END AS key_blocked
                 FROM %3$s WHERE""".formatted(
                        MessageColumn.selected(dialect),
                        dialect.now(),
                        dialect.byIndex(message + " m", dialect.indexPrefix(prefix) + "message_queue"),
                        prefix,
                        dialect.limitUnordered("1"));
        readQueue = dialect.unionPart(
                read + " queue_id = ? AND seq > ? ORDER BY queue_id, seq %s".formatted(dialect.limit("?")));
        keysBetween = "SELECT DISTINCT message_key FROM " + message
                + " WHERE queue_id = ? AND seq > ? AND seq <= ? AND not_before IS NULL AND message_key IN (%s)";
    }

    Reading begin(ClaimLimits limits) {
        return new Reading(limits);
    }

    /** The reads of one claim. Each read begins with an empty batch, and knows the rows in doubt of the earlier ones. */
    final class Reading {
        private final ClaimLimits limits;
        private final FetchSize fetchSize;
        private final Batch batch;
        /** The scans by queue id, in the order of reading. */
        private final Map<Long, Scan> scans = new LinkedHashMap<>();

        /** The scans that need a further page. */
        private final List<Scan> unread = new ArrayList<>();

        private LockedPartitions locked;
        private PendingMaintenance maintenance;
        private PendingMaintenance done;
        private DatabaseClock clock;

        private Reading(ClaimLimits limits) {
            this.limits = limits;
            this.fetchSize = new FetchSize(limits.bytes());
            this.batch = new Batch(limits);
        }

        Batch batch() {
            return batch;
        }

        /** The partitions of the last read. */
        LockedPartitions locked() {
            return locked;
        }

        /** The database's clock at the last page with a row; null without one. */
        DatabaseClock clock() {
            return clock;
        }

        /** The maintenance that the last read has found. */
        PendingMaintenance maintenance() {
            return maintenance;
        }

        /**
         * Fills the batch. Reads further pages of a partition while all its rows have to wait, so that these hide no
         * sendable message.
         *
         * @param before the maintenance that the claim has done since the last read; null if it has done none
         */
        void read(Connection connection, LockedPartitions partitions, PendingMaintenance before) throws SQLException {
            locked = partitions;
            done = before;
            maintenance = new PendingMaintenance();
            batch.begin(partitions.partitions());
            scans.clear();
            unread.clear();
            openScans(connection);
            while (!unread.isEmpty() && !batch.isFull()) {
                readPage(connection);
            }
        }

        /** Opens the scans of each partition: its due blocked keys, without those in doubt, and the partition itself. */
        private void openScans(Connection connection) throws SQLException {
            int ofEach =
                    BlockedKeyTable.perPartition(locked.withDueBlockedKeys().size());
            Set<String> inDoubt = batch.keysInDoubt();
            List<BlockedKey> due = blockedKeys.due(connection, locked.withDueBlockedKeys(), ofEach + inDoubt.size());
            for (int partition : locked.partitions()) {
                List<BlockedKey> served = due.stream()
                        .filter(key -> key.partition() == partition && !inDoubt.contains(key.key()))
                        .limit(ofEach)
                        .toList();
                long share = served.isEmpty() ? Long.MAX_VALUE : limits.bytes() / (served.size() + 1);
                List<Scan> ofPartition = new ArrayList<>();
                served.forEach(key -> ofPartition.add(new Scan(key.id(), partition, key.key(), 0, share)));
                ofPartition.add(new Scan(partition, partition, null, watermark.of(partition), share));
                rotate(ofPartition);
                ofPartition.forEach(scan -> scans.put(scan.queue, scan));
                unread.addAll(ofPartition);
            }
        }

        private void rotate(List<Scan> ofPartition) {
            long last = lastQueues.getOrDefault(ofPartition.get(0).partition, 0L);
            List<Long> queues = ofPartition.stream().map(scan -> scan.queue).toList();
            Collections.rotate(ofPartition, -1 - queues.indexOf(last));
        }

        private void readPage(Connection connection) throws SQLException {
            int pageSize = Math.max(1, limits.messages() / unread.size());
            long commitWatermark = watermark.commitWatermark();
            unread.forEach(Scan::beginPage);
            selectPage(connection, pageSize);
            raiseWatermarks(commitWatermark);
            removeOvertaking(connection);
            collectMaintenance(pageSize);
            // Maintenance moves the messages of blocked keys out of these partitions, a part at a time. Where it could
            // move none, since their rows are locked, sendable messages may follow.
            Set<Integer> toClear = new HashSet<>(maintenance.partitionsToClear);
            if (done != null) {
                toClear.removeAll(done.lockedPartitions);
            }
            unread.removeIf(scan -> scan.isBlockedKey()
                    || scan.pageWasAccepted
                    || scan.isAtEnd(pageSize)
                    || !scan.blockedKeysMet.isEmpty() && toClear.contains(scan.partition));
        }

        /** Reads the next page of each queue in one round trip. */
        private void selectPage(Connection connection, int pageSize) throws SQLException {
            String text = String.join(" UNION ALL ", Collections.nCopies(unread.size(), readQueue));
            try (PreparedStatement select = connection.prepareStatement(text)) {
                int parameter = 0;
                for (Scan scan : unread) {
                    select.setLong(++parameter, scan.queue);
                    select.setLong(++parameter, scan.pageStart);
                    select.setInt(++parameter, pageSize);
                }
                // Without a fetch size, drivers load a whole page of payloads before their sizes are known.
                fetchSize.begin(select);
                try (ResultSet rows = select.executeQuery()) {
                    for (boolean first = true; !batch.isFull() && rows.next(); first = false) {
                        if (first) {
                            clock = DatabaseClock.at(row.readAt(rows));
                        }
                        Scan scan = scans.get(rows.getLong("queue_id"));
                        ClaimedMessage message = claimed(scan, rows);
                        fetchSize.next(rows, Math.max(message.bytes(), rows.getInt("payload_bytes")));
                        scan.add(message, batch.accept(message));
                    }
                }
            }
        }

        /** @param commitWatermark the commit watermark before the page was read */
        private void raiseWatermarks(long commitWatermark) {
            for (Scan scan : unread) {
                boolean emptyUpToFirst = !batch.isFull() || !scan.isPageEmpty();
                if (!scan.isBlockedKey() && scan.isFirstPage() && emptyUpToFirst) {
                    watermark.raise(scan.queue, scan.start, Math.min(commitWatermark, scan.firstOfPage - 1));
                }
            }
        }

        /**
         * Removes the keys with a new row in the range of an earlier page. Each page shows the state at its own time.
         * Since the previous page, a transaction may have committed a message there. A later message of its key on this
         * page must then wait.
         */
        private void removeOvertaking(Connection connection) throws SQLException {
            for (Scan scan : unread) {
                if (!scan.isFirstPage() && !scan.acceptedKeys.isEmpty()) {
                    List<String> stored =
                            scan.acceptedKeys.stream().map(dialect::encodeText).toList();
                    Set<String> overtaking = new HashSet<>(
                            JdbcStatement.of(connection, keysBetween, scan.queue, scan.start, scan.pageStart, stored)
                                    .list(found -> dialect.decodeText(found.getString(1))));
                    overtaking.forEach(scan::skip);
                    batch.removeKeys(overtaking);
                }
            }
        }

        private void collectMaintenance(int pageSize) {
            List<Scan> readCompletely = batch.isFull() ? unread.subList(0, unread.indexOf(batch.end())) : unread;
            // All blocked messages of such a key were read, so its later messages can stay in the partition. The next
            // claim will probably remove the blocked-key row.
            Set<String> catchingUp = new HashSet<>();
            for (Scan scan : readCompletely) {
                if (!scan.isBlockedKey()) {
                    continue;
                }
                if (scan.isPageEmpty()) {
                    maintenance.emptyKeys.add(scan.queue);
                } else if (scan.firstIsNotDue) {
                    maintenance.notYetDue.add(scan.queue);
                } else if (scan.isAtEnd(pageSize)) {
                    catchingUp.add(scan.blockedKey);
                }
            }
            for (Scan scan : unread) {
                if (!scan.blockedKeysMet.isEmpty()
                        && (!scan.isFirstPage() || !catchingUp.containsAll(scan.blockedKeysMet))) {
                    maintenance.partitionsToClear.add(scan.partition);
                }
            }
        }

        /**
         * Records the last served queue of each partition.
         *
         * @param next the first message that was not sent; null after a complete batch
         * @param none the result if no partition was served
         * @return the last served partition
         */
        int endBefore(OutboxMessage next, int none) {
            List<Scan> sent = batch.scansBefore(next);
            sent.forEach(scan -> lastQueues.put(scan.partition, scan.queue));
            List<Integer> served = next != null || batch.isFull()
                    ? sent.stream().map(Scan::partition).toList()
                    : locked.partitions();
            return served.isEmpty() ? none : served.get(served.size() - 1);
        }
    }

    private ClaimedMessage claimed(Scan scan, ResultSet rows) throws SQLException {
        long sequence = rows.getLong("seq");
        // A delayed message has left its key's order.
        String key = rows.getString("not_before") == null ? dialect.decodeText(rows.getString("message_key")) : null;
        boolean due = rows.getInt("due") == 1;
        boolean blocked = rows.getInt("key_blocked") == 1;
        try {
            return new ClaimedMessage(scan, sequence, key, blocked, due, row.message(rows), null);
        } catch (RuntimeException | SQLDataException unreadable) {
            // An unreadable row must not fail the whole claim.
            String problem = String.valueOf(unreadable.getMessage());
            return new ClaimedMessage(scan, sequence, key, blocked, due, null, problem);
        }
    }

    /**
     * The scan of one queue by one claim, page by page in the order of sequences. A queue is a partition or a blocked
     * key.
     */
    static final class Scan {
        private final long queue;
        private final int partition;
        /** The key whose messages wait in this queue; null for the partition itself. */
        private final String blockedKey;

        /** The sequence after which the first page begins. */
        private final long start;

        /** The queue's share of the batch in bytes; its first message may be larger. */
        private final long share;

        private final Set<String> skippedKeys = new HashSet<>();
        private long acceptedBytes;
        private long last;

        /** The sequence after which the page begins. */
        private long pageStart;

        private int pageRows;
        /** The lowest sequence of the page; {@link Long#MAX_VALUE} if the page is empty. */
        private long firstOfPage;

        private boolean firstIsNotDue;
        /** Whether a row of the page is in the batch. */
        private boolean pageWasAccepted;

        /** The keys with an accepted row on this page. */
        private final Set<String> acceptedKeys = new HashSet<>();

        /** The blocked keys with messages on this page of the partition. */
        private final Set<String> blockedKeysMet = new HashSet<>();

        private Scan(long queue, int partition, String blockedKey, long start, long share) {
            this.queue = queue;
            this.partition = partition;
            this.blockedKey = blockedKey;
            this.start = start;
            this.share = share;
            this.last = start;
        }

        int partition() {
            return partition;
        }

        /** Accepts no further message of this key; ignores null. */
        void skip(String key) {
            if (key != null) {
                skippedKeys.add(key);
            }
        }

        boolean skips(String key) {
            return key != null && skippedKeys.contains(key);
        }

        /** Whether this number of bytes would exceed the queue's share; the first message never does. */
        boolean exceedsShare(int bytes) {
            return acceptedBytes > 0 && acceptedBytes + bytes > share;
        }

        void addAccepted(int bytes) {
            acceptedBytes += bytes;
        }

        private boolean isBlockedKey() {
            return blockedKey != null;
        }

        /** Begins the next page after the last row that was read. */
        private void beginPage() {
            pageStart = last;
            pageRows = 0;
            firstOfPage = Long.MAX_VALUE;
            firstIsNotDue = false;
            pageWasAccepted = false;
            acceptedKeys.clear();
            blockedKeysMet.clear();
        }

        private boolean isFirstPage() {
            return pageStart == start;
        }

        private boolean isPageEmpty() {
            return pageRows == 0;
        }

        private boolean isAtEnd(int pageSize) {
            return pageRows < pageSize;
        }

        /** @param accepted whether the row is in the batch */
        private void add(ClaimedMessage message, boolean accepted) {
            pageRows++;
            if (pageRows == 1) {
                firstIsNotDue = !message.due();
            }
            firstOfPage = Math.min(firstOfPage, message.sequence());
            last = Math.max(last, message.sequence());
            pageWasAccepted |= accepted;
            if (message.keyBlocked()) {
                blockedKeysMet.add(message.key());
            } else if (accepted && message.key() != null) {
                acceptedKeys.add(message.key());
            }
        }
    }
}
