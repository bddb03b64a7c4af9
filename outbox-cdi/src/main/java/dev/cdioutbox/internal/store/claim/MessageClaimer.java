package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.Claim.PartitionRange;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable.BlockedKey;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable.PendingMaintenance;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Connections.LocalTransaction;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.PartitionTable;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Claims partitions with waiting messages, up to a limit, and leaves the others to other nodes: locks or leases them. Then
 * reads their due messages and those of their blocked keys into a batch, each queue in order, and skips waiting keys. If
 * the read finds that queues need maintenance, does this in a separate transaction, and reads again. Thread-safe; each
 * claim has its own {@link OpenClaim}.
 */
public final class MessageClaimer {
    private static final Logger LOG = Logger.getLogger(MessageClaimer.class.getName());

    private final String application;
    private final Connections connections;
    private final Dialect dialect;
    private final PartitionTable partitions;
    private final BlockedKeyTable blockedKeys;
    private final LeaseTable leases;
    private final ReadWatermark watermark;
    /**
     * The last queue of each partition that a batch served: the next batch begins with the queue after it. Otherwise the
     * first queues could fill every batch. Only fairness depends on it.
     */
    private final Map<Integer, Long> lastQueues = new ConcurrentHashMap<>();

    /** Selects the partitions with waiting messages, locked or not; then the delayed partition if a message is due. */
    private final String claimable;

    /** The same, and locks some of them, the chosen ones. Only where {@link Dialect#locksOnlyReturnedRows}. */
    private final String lockPartitions;

    private final String lockPartition;
    /** Up to the condition; {@link #selectQueues} adds the rest. */
    private final String read;

    public MessageClaimer(
            Connections connections,
            StoreConfig config,
            Dialect dialect,
            PartitionTable partitions,
            BlockedKeyTable blockedKeys,
            LeaseTable leases,
            ReadWatermark watermark) {
        this.application = config.application();
        this.connections = connections;
        this.dialect = dialect;
        this.partitions = partitions;
        this.blockedKeys = blockedKeys;
        this.leases = leases;
        this.watermark = watermark;
        Sql sql = new Sql(config.tablePrefix(), dialect);
        // No EXISTS here: a planner that expects small tables would read them as a whole, once for all partitions.
        String hasDueBlockedKey = dialect.hasDueBlockedKey(
                sql.of("{blocked_key}"), dialect.indexPrefix(sql.prefix()) + "blocked_key_due");
        String isNotPaused = sql.of("""
                NOT EXISTS (SELECT 1 FROM {control} c WHERE c.application = p.application
                  AND c.destination IN (p.destination, '*') AND c.paused = 1)""");
        String isNotLeased = sql.of("(p.leased_until IS NULL OR p.leased_until <= {now})");
        String first = sql.with("waits", watermark.waits()).of("(SELECT q.seq FROM {queue} q WHERE {waits} {any 1})");
        // On PostgreSQL a join, so that one search finds the message for the condition and for the read watermark.
        boolean joins = dialect.hasReadWatermark();
        String withMessages = sql.with("hasDueBlockedKey", hasDueBlockedKey)
                .with("firstSeq", joins ? "q.seq" : "0")
                .with("join", joins ? "LEFT JOIN LATERAL " + first + " q ON TRUE" : "")
                .with("isNotPaused", isNotPaused)
                .with("isNotLeased", isNotLeased)
                .with("first", joins ? "q.seq" : first)
                .of("""
                SELECT p.id, CASE WHEN {hasDueBlockedKey} THEN 1 ELSE 0 END AS blocked_keys, {firstSeq} AS first_seq, 1 AS chosen
                FROM {partition} p {join} WHERE p.application = ? AND p.destination = ?
                  AND p.id BETWEEN ? AND ? AND p.partition_no >= 0
                  AND {isNotPaused} AND {isNotLeased} AND ({first} IS NOT NULL OR {hasDueBlockedKey})""");
        // Never locked: while a send hangs, other threads and nodes must see due delayed messages. The columns have the
        // names of the first query, since Db2 keeps a name only if each part of a union has it.
        String delayed = sql.with("isNotPaused", isNotPaused)
                .with("due", dialect.limitDue("available_at <= " + dialect.now(), 1))
                .of("""
                SELECT p.id, 0 AS blocked_keys, 0 AS first_seq, 1 AS chosen FROM {partition} p WHERE p.id = ?
                  AND {isNotPaused} AND (SELECT seq FROM {queue} WHERE queue_id = ? AND {due}) IS NOT NULL""");
        claimable = withMessages + " UNION ALL " + delayed;
        lockPartitions = sql.with("withMessages", withMessages)
                .with("isNotLeased", isNotLeased)
                .with("delayed", delayed)
                .of("""
                WITH claimable AS ({withMessages}), locked AS (
                  SELECT p.id FROM claimable c JOIN {partition} p ON p.id = c.id WHERE {isNotLeased}
                  ORDER BY CASE WHEN p.id > ? THEN 0 ELSE 1 END, p.id LIMIT ? FOR UPDATE OF p SKIP LOCKED)
                SELECT c.id, c.blocked_keys, c.first_seq, CASE WHEN l.id IS NULL THEN 0 ELSE 1 END AS chosen
                FROM claimable c LEFT JOIN locked l ON l.id = c.id UNION ALL {delayed}""");
        lockPartition = dialect.lockSkipLocked("p.id", sql.of("{partition} p"), "p.id = ? AND " + isNotLeased);
        read = sql.with("columns", MessageColumn.selectedWaiting(dialect))
                .with("perhapsLocked", dialect.perhapsLocked("q"))
                .of("""
                SELECT {columns}, q.queue_id,
                  CASE WHEN q.status = {PENDING} OR q.status = {FAILED} AND q.available_at IS NULL
                    OR q.available_at <= {now} THEN 1 ELSE 0 END AS due, {perhapsLocked} AS perhaps_locked,
                  CASE WHEN m.not_before IS NULL AND (SELECT 1 FROM {blocked_key} g WHERE g.partition_id = q.queue_id
                    AND g.message_key = m.message_key {any 1}) IS NOT NULL THEN 1 ELSE 0 END AS key_blocked
                FROM {queue q by queue_order} {join message} WHERE""");
    }

    /** Reads the next rows of each queue in one round trip; see {@link Dialect#readQueues}. */
    public String selectQueues(int queues, int pageSize) {
        return dialect.readQueues(read, queues, pageSize);
    }

    /** @param afterPartition the last served partition */
    public Claim claim(String destination, int afterPartition, Claim.Limits limits) throws SQLException {
        OpenClaim claim = new OpenClaim(connections.begin(), destination, afterPartition, limits);
        try {
            claim.open();
            return claim;
        } catch (SQLException | RuntimeException | Error e) {
            // An open connection would keep the partitions, also after an OutOfMemoryError.
            claim.close();
            throw e;
        }
    }

    /**
     * The ids of partitions, in the order of service.
     *
     * @param delayedAreDue whether delayed messages of the destination are due
     * @param foundLocked whether messages also wait in partitions that are locked, or above the limit
     */
    record SelectedPartitions(
            List<Integer> partitions, List<Integer> withDueBlockedKeys, boolean delayedAreDue, boolean foundLocked) {

        SelectedPartitions only(List<Integer> some) {
            return new SelectedPartitions(
                    some,
                    withDueBlockedKeys.stream().filter(some::contains).toList(),
                    delayedAreDue,
                    some.size() < partitions.size());
        }
    }

    /**
     * A claim on a separate connection: its row locks end with the connection. Or a claim by lease, which expires. Each
     * read begins with an empty batch, and knows the rows in doubt of the earlier ones.
     */
    final class OpenClaim implements Claim {
        private final LocalTransaction transaction;
        private final String destination;
        private final int afterPartition;
        private final Limits limits;
        private final FetchSize fetchSize;
        private final Batch batch;
        /** The scans by queue id, in the order of reading. */
        private final Map<Long, QueueScan> scans = new LinkedHashMap<>();

        /** The scans that need a further page. */
        private final List<QueueScan> unread = new ArrayList<>();

        /** Null for a claim by row lock. */
        private Lease lease;

        /** The partitions of the last read. */
        private SelectedPartitions served;

        /** The maintenance that the last read has found. */
        private PendingMaintenance maintenance;

        /** The partitions in which the maintenance before the last read could move no message. */
        private Set<Integer> unmovedPartitions = Set.of();

        private boolean maintained;
        private DatabaseClock clock;

        OpenClaim(LocalTransaction transaction, String destination, int afterPartition, Limits limits) {
            this.transaction = transaction;
            this.destination = destination;
            this.afterPartition = afterPartition;
            this.limits = limits;
            this.fetchSize = new FetchSize(limits.bytes());
            this.batch = new Batch(limits);
        }

        private void open() throws SQLException {
            Connection connection = transaction.connection();
            // Refresh before the lock: the query may be slow, and the reads after it see all transactions that ended
            // before it.
            watermark.refresh(connection);
            if (limits.lease() == null) {
                read(lock(connection));
            } else {
                SelectedPartitions candidates = select(connection, claimable);
                lease = leases.take(connection, candidates.partitions(), limits.partitions(), limits.lease());
                read(candidates.only(lease.partitions()));
            }
        }

        private SelectedPartitions lock(Connection connection) throws SQLException {
            if (dialect.locksOnlyReturnedRows()) {
                return select(connection, lockPartitions, afterPartition, limits.partitions());
            }
            SelectedPartitions candidates = select(connection, claimable);
            List<Integer> free = new ArrayList<>();
            for (int candidate : candidates.partitions()) {
                if (free.size() < limits.partitions()
                        && JdbcStatement.of(connection, lockPartition, candidate)
                                        .number()
                                != null) {
                    free.add(candidate);
                }
            }
            return candidates.only(free);
        }

        /** Raises the read watermark of each partition with waiting messages, also of one that another claim has locked. */
        private SelectedPartitions select(Connection connection, String statement, Object... choice)
                throws SQLException {
            long commitWatermark = watermark.commitWatermark();
            Map<Integer, Long> watermarks = new LinkedHashMap<>();
            partitions.queueIds(destination).forEach(id -> watermarks.put(id, watermark.of(id)));
            int delayed = partitions.queueId(destination, PartitionTable.DELAYED);
            // The watermarks come first: the statement has them in its join.
            List<Object> parameters = new ArrayList<>(watermark.parameters(watermarks.values()));
            PartitionRange range = limits.range();
            parameters.addAll(List.of(application, destination, range.first(), range.last()));
            parameters.addAll(List.of(choice));
            parameters.addAll(List.of(delayed, delayed));
            List<Integer> selected = new ArrayList<>();
            List<Integer> withDueBlockedKeys = new ArrayList<>();
            List<Integer> locked = new ArrayList<>();
            JdbcStatement.of(connection, statement, parameters.toArray())
                    .behind(dialect.planByIndex())
                    .forEach(row -> {
                        int partition = row.getInt("id");
                        if (partition != delayed && !watermarks.containsKey(partition)) {
                            // Another node has inserted this row anew. The next check of the tables takes over its id.
                            return;
                        }
                        if (partition != delayed) {
                            long emptyUpTo = row.getLong("first_seq") - 1;
                            watermark.raise(partition, watermarks.get(partition), Math.min(commitWatermark, emptyUpTo));
                        }
                        boolean isChosen = row.getInt("chosen") == 1;
                        (isChosen ? selected : locked).add(partition);
                        if (isChosen && row.getInt("blocked_keys") == 1) {
                            withDueBlockedKeys.add(partition);
                        }
                    });
            boolean delayedAreDue = selected.remove((Integer) delayed);
            selected.sort(Comparator.comparing((Integer id) -> id <= afterPartition)
                    .thenComparing(Comparator.naturalOrder()));
            return new SelectedPartitions(selected, withDueBlockedKeys, delayedAreDue, !locked.isEmpty());
        }

        /** Reads the partitions. If their queues need maintenance, does this, and reads once more. */
        private void read(SelectedPartitions some) throws SQLException {
            Connection connection = transaction.connection();
            readQueues(connection, some, Set.of());
            if (!maintenance.isEmpty()) {
                if (lease != null) {
                    // Maintenance changes rows, so first check and lock the lease.
                    leases.fence(connection, lease);
                }
                maintained |= blockedKeys.maintain(connection, maintenance);
                // The commit releases row locks of partitions, and another node may take them: lock again.
                connection.commit();
                SelectedPartitions again = lease == null ? lock(connection) : some;
                readQueues(connection, again, maintenance.unmovedPartitions);
            }
            if (lease != null) {
                connection.rollback();
            }
        }

        /**
         * Fills the batch. While all rows of a partition's page have to wait, reads a larger page, so that they hide no
         * sendable message. Each page begins at the start of the queue: two pages would show the state of two moments,
         * and a message that was committed between them might be overtaken.
         *
         * @param unmoved the partitions in which the maintenance before this read could move no message
         */
        void readQueues(Connection connection, SelectedPartitions some, Set<Integer> unmoved) throws SQLException {
            served = some;
            unmovedPartitions = unmoved;
            if (lease != null && dialect.planByIndex() != null) {
                // The transaction of the search has ended.
                JdbcStatement.of(connection, dialect.planByIndex()).first(row -> null);
            }
            maintenance = new PendingMaintenance();
            batch.begin(some.partitions());
            scans.clear();
            unread.clear();
            openScans(connection);
            int pageSize = 0;
            while (!unread.isEmpty() && !batch.isFull()) {
                pageSize = Math.max(2 * pageSize, Math.max(1, limits.messages() / unread.size()));
                readPage(connection, pageSize);
            }
        }

        /** Opens the scans of each partition: its due blocked keys, without those in doubt, and the partition itself. */
        private void openScans(Connection connection) throws SQLException {
            Map<Integer, List<BlockedKey>> due = served.withDueBlockedKeys().isEmpty()
                    ? Map.of()
                    : blockedKeys.due(connection, served.withDueBlockedKeys(), batch.keysInDoubt());
            for (int partition : served.partitions()) {
                List<BlockedKey> keys = due.getOrDefault(partition, List.of());
                long share = keys.isEmpty() ? Long.MAX_VALUE : limits.bytes() / (keys.size() + 1);
                List<QueueScan> ofPartition = new ArrayList<>();
                keys.forEach(key -> ofPartition.add(new QueueScan(key.id(), partition, 0, share)));
                ofPartition.add(new QueueScan(partition, partition, watermark.of(partition), share));
                rotate(ofPartition);
                ofPartition.forEach(scan -> scans.put(scan.queue, scan));
                unread.addAll(ofPartition);
            }
        }

        private void rotate(List<QueueScan> ofPartition) {
            long last = lastQueues.getOrDefault(ofPartition.get(0).partition, 0L);
            List<Long> queues = ofPartition.stream().map(scan -> scan.queue).toList();
            int at = queues.indexOf(last);
            // If the last queue is not due any more, the partition begins, which would otherwise come last each time.
            Collections.rotate(ofPartition, at >= 0 || last == 0 ? -1 - at : 1);
        }

        private void readPage(Connection connection, int pageSize) throws SQLException {
            unread.forEach(scan -> scan.beginPage(pageSize));
            selectPage(connection, pageSize);
            collectMaintenance();
            // Maintenance moves the messages of blocked keys out of these partitions, a part at a time. Where it could
            // move none, since their rows are locked, sendable messages may follow.
            unread.removeIf(scan -> scan.isBlockedKey()
                    || scan.pageWasAccepted
                    || scan.isAtEnd()
                    || scan.metBlockedKey && !unmovedPartitions.contains(scan.partition));
        }

        /** Reads the page of each queue in one round trip. */
        private void selectPage(Connection connection, int pageSize) throws SQLException {
            try (PreparedStatement select = connection.prepareStatement(selectQueues(unread.size(), pageSize))) {
                int parameter = 0;
                for (QueueScan scan : unread) {
                    select.setLong(++parameter, scan.queue);
                    select.setLong(++parameter, scan.start);
                }
                // Without a fetch size, drivers load a whole page of payloads before their sizes are known.
                fetchSize.begin(select);
                try (ResultSet rows = select.executeQuery()) {
                    for (boolean first = true; !batch.isFull() && rows.next(); first = false) {
                        if (first) {
                            clock = DatabaseClock.at(MessageColumn.readAt(rows, dialect));
                        }
                        QueueScan scan = scans.get(rows.getLong("queue_id"));
                        scan.requireNext(rows.getLong("seq"), destination);
                        Batch.Row row = claimed(scan, destination, rows, lease != null);
                        fetchSize.next(rows, Math.max(row.bytes(), rows.getInt("payload_bytes")));
                        scan.add(row, batch.accept(row));
                    }
                }
            }
        }

        private void collectMaintenance() {
            List<QueueScan> readCompletely = batch.isFull() ? unread.subList(0, unread.indexOf(batch.end())) : unread;
            for (QueueScan scan : readCompletely) {
                if (scan.isBlockedKey() && scan.isPageEmpty()) {
                    maintenance.emptyKeys.add(scan.queue);
                } else if (scan.isBlockedKey() && scan.firstIsNotDue) {
                    maintenance.notYetDue.add(scan.queue);
                }
            }
            unread.stream()
                    .filter(scan -> scan.metBlockedKey)
                    .forEach(scan -> maintenance.partitionsToClear.add(scan.partition));
        }

        @Override
        public List<Integer> partitions() {
            return served.partitions();
        }

        @Override
        public List<OutboxMessage> messages() {
            return batch.messages();
        }

        @Override
        public Map<Long, String> unreadable() {
            return batch.unreadable();
        }

        @Override
        public Set<Long> perhapsLocked() {
            return batch.perhapsLocked();
        }

        @Override
        public boolean isEmpty() {
            return batch.isEmpty();
        }

        @Override
        public boolean isComplete() {
            return served.partitions().size() < limits.partitions()
                    && served.withDueBlockedKeys().isEmpty()
                    && maintenance.isEmpty()
                    && !batch.isFull()
                    && !batch.hasLeftOut()
                    && scans.values().stream().allMatch(QueueScan::isAtEnd);
        }

        @Override
        public boolean foundLocked() {
            return served.foundLocked();
        }

        @Override
        public DatabaseClock clock() {
            return clock;
        }

        @Override
        public boolean maintained() {
            return maintained;
        }

        @Override
        public boolean delayedAreDue() {
            return served.delayedAreDue();
        }

        @Override
        public Lease lease() {
            return lease;
        }

        @Override
        public int recordEnd(OutboxMessage next, int none) {
            List<QueueScan> sent = batch.scansBefore(next);
            sent.forEach(scan -> lastQueues.put(scan.partition, scan.queue));
            List<Integer> ended = next != null || batch.isFull()
                    ? sent.stream().map(scan -> scan.partition).toList()
                    : served.partitions();
            return ended.isEmpty() ? none : ended.get(ended.size() - 1);
        }

        @Override
        public boolean removeUnlockable(Set<Long> lockable) {
            if (!batch.removeUnlockable(lockable)) {
                return false;
            }
            try {
                // The rows in doubt must neither hide later rows nor take the room of others.
                read(served);
                return !isEmpty();
            } catch (SQLException e) {
                throw Problem.DATABASE_FAILED.exception(e, "reading behind messages in doubt", Problem.reason(e));
            }
        }

        @Override
        public void close() {
            try (transaction) {
                if (lease != null) {
                    transaction.connection().rollback();
                    if (!lease.partitions().isEmpty()) {
                        leases.giveBack(transaction.connection(), lease);
                        transaction.connection().commit();
                    }
                }
            } catch (SQLException e) {
                // Ignore the failure: locks end with the connection, a lease expires, and other transactions commit the
                // settlements.
                LOG.log(Level.FINE, e, () -> Problem.DATABASE_FAILED.text("giving back a claim", Problem.reason(e)));
            }
        }
    }

    private Batch.Row claimed(QueueScan scan, String destination, ResultSet rows, boolean isLeased)
            throws SQLException {
        long sequence = rows.getLong("seq");
        // A delayed message has left its key's order.
        String key = rows.getString("not_before") == null ? dialect.decodeText(rows.getString("message_key")) : null;
        boolean due = rows.getInt("due") == 1;
        boolean blocked = rows.getInt("key_blocked") == 1;
        // A suspended process loses a lease without notice; another node may have settled the row before the probe.
        boolean perhapsLocked = isLeased || rows.getInt("perhaps_locked") == 1;
        String ofRow = rows.getString("destination");
        if (!destination.equals(ofRow)) {
            // Sent from here, it would go to the wrong destination.
            String problem = ofRow == null
                    ? Problem.MESSAGE_MISSING.text(destination, sequence)
                    : Problem.MESSAGE_MISPLACED.text(destination, sequence, ofRow, scan.queue);
            return new Batch.Row(scan, sequence, key, blocked, due, perhapsLocked, null, problem);
        }
        try {
            return new Batch.Row(
                    scan, sequence, key, blocked, due, perhapsLocked, MessageColumn.waiting(rows, dialect), null);
        } catch (RuntimeException | SQLDataException unreadable) {
            // An unreadable row must not fail the whole claim.
            String problem = String.valueOf(unreadable.getMessage());
            return new Batch.Row(scan, sequence, key, blocked, due, perhapsLocked, null, problem);
        }
    }
}
