package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Connections.LocalTransaction;

/**
 * Partitions of one destination, with their due messages. Only this node reads the partitions until the claim is closed. A
 * claim reserves partitions, reads their queues into a batch, and maintains the blocked keys that it has met when the batch
 * is over. One thread uses it.
 *
 * <pre>
 *   open:      reserve ─► read the batch ({@link MessageClaimer})
 *   maintain:  delete blocked keys without messages, move followers ─► commit
 *   close:     maintain, unless done ─► release
 * </pre>
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
public final class Claim implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(Claim.class.getName());

    private final LocalTransaction transaction;
    private final Reservation reservation;
    private final Partitions partitions;
    private final long after;
    private final BlockedKeyMaintenance maintenance;
    private final Batch batch;
    private boolean isMaintained;

    /** @param transaction a new one, which the claim closes */
    Claim(
            LocalTransaction transaction,
            Reservation reservation,
            Partitions partitions,
            long after,
            Batch batch,
            BlockedKeyMaintenance maintenance) {
        this.transaction = transaction;
        this.reservation = reservation;
        this.partitions = partitions;
        this.after = after;
        this.batch = batch;
        this.maintenance = maintenance;
    }

    /** The ids of the partitions, in the order of service. */
    public List<Long> partitions() {
        return partitions.ids();
    }

    public boolean isEmpty() {
        return batch.rows().isEmpty();
    }

    /** The due messages, for each key in order and without a gap. */
    public List<OutboxMessage> messages() {
        return batch.rows().stream().map(Row::message).filter(Objects::nonNull).toList();
    }

    public List<UnreadableRow> unreadable() {
        return batch.rows().stream()
                .map(Row::unreadable)
                .filter(Objects::nonNull)
                .toList();
    }

    /** How often a send of a message was begun and did not end, by sequence; without the zeros. */
    public Map<Long, Integer> unfinishedSends() {
        return batch.rows().stream()
                .filter(row -> row.unfinishedSends() > 0)
                .collect(Collectors.toMap(Row::sequence, Row::unfinishedSends));
    }

    /**
     * The rows that the claim has left out with their keys, because another transaction locks them: most likely one in doubt.
     */
    public Set<Long> inDoubt() {
        return reservation.hidesPartitions() ? Set.of() : batch.inDoubt();
    }

    /** The database's clock; null if the claim has read no row. */
    public DatabaseClock clock() {
        return batch.clock();
    }

    /**
     * Whether the claim has read all that is due in its partitions, has left out no row that could be due soon, and has room
     * left.
     */
    public boolean isComplete() {
        return partitions.ids().size() < batch.limits().partitions()
                && partitions.withDueBlockedKeys().isEmpty()
                && batch.inDoubt().isEmpty()
                && batch.isComplete();
    }

    /** Whether messages of the range also wait in partitions that are locked, or above the limit of partitions. */
    public boolean foundLocked() {
        return partitions.foundLocked();
    }

    /** Whether delayed messages of the destination are due: {@code DelayedMessages} moves them. */
    public boolean delayedAreDue() {
        return partitions.delayedAreDue();
    }

    /** The partition of the first row of the batch, or else the first one of the claim; null if that has none. */
    public Long firstPartition() {
        return batch.rows().stream().map(Row::partition).findFirst().orElseGet(() -> partitions.ids().stream()
                .findFirst()
                .orElse(null));
    }

    /** The last partition that this batch serves, after which the next claim begins. */
    public long lastPartition() {
        List<Long> served =
                batch.isFull() ? batch.rows().stream().map(Row::partition).toList() : partitions.ids();
        return served.isEmpty() ? after : served.get(served.size() - 1);
    }

    /**
     * The partition after which the next claim begins if the batch was cut short.
     *
     * @param left the first message that is left
     * @param none the result if no message was sent
     */
    public long lastPartitionBefore(OutboxMessage left, long none) {
        long last = none;
        for (Row row : batch.rows()) {
            if (left.equals(row.message())) {
                break;
            }
            last = row.partition();
        }
        return last;
    }

    /**
     * Maintains the blocked keys that the claim has met. The batch must be over, and the partitions may be free after this.
     *
     * @return whether the next claim may find due messages where this one did not
     */
    public boolean maintain() {
        if (isMaintained || !batch.hasBlockedKeys()) {
            return false;
        }
        isMaintained = true;
        MaintenancePlan plan = batch.maintenance();
        if (plan.isEmpty()) {
            return false;
        }
        try {
            Connection connection = transaction.connection();
            reservation.beginChange(connection);
            boolean changed = maintenance.maintain(connection, plan);
            connection.commit();
            return changed;
        } catch (SQLException e) {
            throw Connections.failed("maintaining blocked keys", e);
        }
    }

    /**
     * Does the maintenance that is left, and releases the partitions.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0302 if the maintenance fails; a failure of the release has no effect
     */
    @Override
    public void close() {
        try {
            maintain();
        } finally {
            release(transaction, reservation);
        }
    }

    static void release(LocalTransaction transaction, Reservation reservation) {
        try {
            reservation.release(transaction);
        } catch (SQLException e) {
            // Ignore the failure: locks end with the connection, a lease expires, and other transactions commit the
            // settlements.
            LOG.log(Level.FINE, e, () -> OutboxCode.DATABASE_FAILED.text("giving back a claim", FailureReason.of(e)));
        }
    }
}
