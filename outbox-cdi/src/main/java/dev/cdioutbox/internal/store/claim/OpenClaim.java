package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.Claim.Limits;
import dev.cdioutbox.internal.store.Claim.LockProbe;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.claim.BlockedKeys.BlockedKey;
import dev.cdioutbox.internal.store.claim.BlockedKeys.Maintenance;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Connections.LocalTransaction;

/**
 * A claim: reserves partitions, reads their queues into a batch, and maintains blocked keys when the batch is over.
 *
 * <pre>
 *   open:      reserve ─► read pages ─► probe locks ─► the batch
 *                              ▲             │ rows are locked: leave them out
 *                              └─────────────┘
 *   maintain:  delete blocked keys without messages, move followers ─► commit
 *   close:     maintain, unless done ─► release
 * </pre>
 *
 * <p><b>Each page begins at the start of its queues</b>, because two pages show two moments. Suppose that message 90 of a
 * key is not committed when a page ends at 100. Then 90 is committed, and after it message 150 of the same key. A second
 * page that began at 101 would have 150 without 90.
 *
 * <p><b>Maintenance comes after the batch</b>, because otherwise each claim that meets a follower would read, maintain,
 * commit, lock and read again. It moves rows from the partition to the queue of a blocked key, or lets a key return to the
 * partition. No message overtakes another:
 *
 * <ul>
 *   <li>Only the holder of the partition maintains. So nothing moves while this claim reads, and all its pages agree on
 *       where the messages of a key are.
 *   <li>A row in the partition whose key was blocked at the read is not in the batch. It stays behind all rows of its key's
 *       queue, and the next claim reads what the maintenance has left.
 *   <li>A key that a settlement of this batch has blocked is visible to the maintenance only after the commit. While that
 *       is in doubt, the row of the key and its messages are locked: the maintenance skips them, and the next claim finds
 *       them locked.
 *   <li>If a claim ends without maintenance, the next one meets the same rows and does it.
 * </ul>
 */
final class OpenClaim implements Claim.Hold {
    private static final Logger LOG = Logger.getLogger(OpenClaim.class.getName());

    private final MessageClaimer parts;
    private final LocalTransaction transaction;
    private final String destination;
    private final int after;
    private final Limits limits;

    /** The rows that the probe has found locked, and their keys. */
    private final Set<Long> inDoubt = new HashSet<>();

    private final Set<String> keysInDoubt = new HashSet<>();

    private Reservation reservation = Reservation.byLock(Partitions.NONE);
    private DatabaseClock clock;
    /** What is left to do. */
    private Maintenance maintenance = Maintenance.NONE;

    OpenClaim(MessageClaimer parts, LocalTransaction transaction, String destination, int after, Limits limits) {
        this.parts = parts;
        this.transaction = transaction;
        this.destination = destination;
        this.after = after;
        this.limits = limits;
    }

    /**
     * Locked rows must neither hide later ones nor take the room of others. So the claim reads again without them, which is
     * less code than taking them out of a batch and finding out which queues that has emptied.
     */
    Claim open(LockProbe probe) throws Exception {
        try {
            Connection connection = transaction.connection();
            // Refresh before the lock: the query may be slow, and the reads after it see all transactions that ended
            // before it.
            parts.watermark.refresh(connection);
            reservation = reserve(connection);
            Batch batch = read(connection);
            while (findLocked(batch, probe)) {
                batch = read(connection);
            }
            maintenance = batch.maintenance();
            reservation.endRead(connection);
            return claim(batch);
        } catch (Exception | Error e) {
            // An open connection would keep the partitions, also after an OutOfMemoryError.
            close();
            throw e;
        }
    }

    private Reservation reserve(Connection connection) throws SQLException {
        PartitionQuery query = parts.partitions;
        return limits.lease() == null
                ? Reservation.byLock(query.lock(connection, destination, after, limits))
                : parts.leases.take(connection, query.select(connection, destination, after, limits), limits);
    }

    private Batch read(Connection connection) throws SQLException {
        Batch batch = new Batch(limits, inDoubt, keysInDoubt);
        int pageSize = 0;
        List<ClaimedQueue> queues = queues(connection);
        while (!queues.isEmpty()) {
            pageSize = Math.max(2 * pageSize, Math.max(1, limits.messages() / queues.size()));
            batch.beginPage(queues, pageSize);
            DatabaseClock now =
                    parts.reader.read(connection, destination, queues, pageSize, limits.bytes(), batch::add);
            clock = clock == null ? now : clock;
            queues = batch.hidden(queues);
        }
        return batch;
    }

    /** The partitions with their due blocked keys, except those in doubt. */
    private List<ClaimedQueue> queues(Connection connection) throws SQLException {
        Partitions held = reservation.partitions();
        Map<Integer, List<BlockedKey>> due = held.withDueBlockedKeys().isEmpty()
                ? Map.of()
                : parts.blockedKeys.due(connection, held.withDueBlockedKeys(), keysInDoubt);
        List<ClaimedQueue> queues = new ArrayList<>();
        for (int partition : held.ids()) {
            List<BlockedKey> keys = due.getOrDefault(partition, List.of());
            long share = keys.isEmpty() ? Long.MAX_VALUE : limits.bytes() / (keys.size() + 1);
            int followers = parts.blockedKeys.followersRead(partition);
            List<ClaimedQueue> ofPartition = new ArrayList<>();
            keys.forEach(key -> ofPartition.add(new ClaimedQueue(key.id(), partition, 0, share, followers)));
            ofPartition.add(new ClaimedQueue(partition, partition, parts.watermark.of(partition), share, followers));
            // Otherwise the first queues could fill every batch.
            Collections.rotate(ofPartition, ThreadLocalRandom.current().nextInt(ofPartition.size()));
            queues.addAll(ofPartition);
        }
        return queues;
    }

    /** @return whether rows of the batch are locked */
    private boolean findLocked(Batch batch, LockProbe probe) throws Exception {
        List<QueueRow> suspects =
                batch.rows().stream().filter(reservation::mustProbe).toList();
        if (suspects.isEmpty()) {
            return false;
        }
        Set<Long> free =
                probe.lockable(suspects.stream().map(QueueRow::sequence).toList());
        for (QueueRow row : suspects) {
            if (!free.contains(row.sequence())) {
                inDoubt.add(row.sequence());
                keysInDoubt.add(row.key());
            }
        }
        // A row without a key.
        keysInDoubt.remove(null);
        return free.size() < suspects.size();
    }

    private Claim claim(Batch batch) {
        Partitions held = reservation.partitions();
        List<QueueRow> rows = batch.rows();
        boolean isComplete = held.ids().size() < limits.partitions()
                && held.withDueBlockedKeys().isEmpty()
                && inDoubt.isEmpty()
                && batch.isComplete();
        List<Integer> served =
                batch.isFull() ? rows.stream().map(QueueRow::partition).toList() : held.ids();
        return new Claim(
                held.ids(),
                rows.stream().map(QueueRow::message).filter(Objects::nonNull).toList(),
                rows.stream().collect(Collectors.toMap(QueueRow::sequence, QueueRow::partition)),
                rows.stream().map(QueueRow::unreadable).filter(Objects::nonNull).toList(),
                rows.stream()
                        .filter(row -> row.unfinishedSends() > 0)
                        .collect(Collectors.toMap(QueueRow::sequence, QueueRow::unfinishedSends)),
                reservation.lease() == null ? Set.copyOf(inDoubt) : Set.of(),
                clock,
                isComplete,
                held.foundLocked(),
                held.delayedAreDue(),
                reservation.lease(),
                served.isEmpty() ? after : served.get(served.size() - 1),
                this);
    }

    @Override
    public boolean maintain() {
        Maintenance due = maintenance;
        maintenance = Maintenance.NONE;
        if (due.isEmpty()) {
            return false;
        }
        try {
            Connection connection = transaction.connection();
            reservation.beginChange(connection);
            boolean changed = parts.blockedKeys.maintain(connection, due);
            connection.commit();
            return changed;
        } catch (SQLException e) {
            throw Connections.failed("maintaining blocked keys", e);
        }
    }

    @Override
    public void close() {
        try {
            maintain();
        } finally {
            release();
        }
    }

    private void release() {
        try (transaction) {
            reservation.release(transaction.connection());
        } catch (SQLException e) {
            // Ignore the failure: locks end with the connection, a lease expires, and other transactions commit the
            // settlements.
            LOG.log(Level.FINE, e, () -> OutboxCode.DATABASE_FAILED.text("giving back a claim", FailureReason.of(e)));
        }
    }
}
