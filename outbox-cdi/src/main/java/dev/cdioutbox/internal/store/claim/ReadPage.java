package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.internal.store.blockedkey.BlockedKey;
import dev.cdioutbox.internal.store.blockedkey.QueueMaintenance;
import dev.cdioutbox.internal.store.sql.ClaimedMessage;
import dev.cdioutbox.internal.store.sql.OutboxStatements;
import dev.cdioutbox.internal.store.sql.Sequences;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * The rows of one read of a claim. Each page shows the state at its own time: since the previous page, a message may
 * have been committed in front of it. A follower on this page must then wait.
 */
final class ReadPage {
    private final OutboxStatements sql;
    private final Map<Long, Long> pageStarts;
    private final Map<Long, Long> firstPageStarts;
    private final Map<Long, Set<String>> acceptedKeys = new HashMap<>();
    private final Map<Long, Integer> rows = new HashMap<>();
    private final Map<Long, Long> last = new HashMap<>();
    private final Map<Long, Long> first = new HashMap<>();
    private final Set<Long> servedQueues = new HashSet<>();
    private final Set<Long> notYetDue = new HashSet<>();
    private final Map<Long, Set<String>> blockedKeysMet = new HashMap<>();

    /**
     * @param starts the sequence behind which each queue's page begins
     * @param bases the one behind which its first page began
     */
    ReadPage(OutboxStatements sql, Map<Long, Long> starts, Map<Long, Long> bases) {
        this.sql = sql;
        this.pageStarts = Map.copyOf(starts);
        this.firstPageStarts = Map.copyOf(bases);
    }

    void add(long queue, ClaimedMessage row, boolean accepted) {
        if (rows.merge(queue, 1, Integer::sum) == 1 && !row.due()) {
            notYetDue.add(queue);
        }
        last.merge(queue, row.sequence(), Math::max);
        first.merge(queue, row.sequence(), Math::min);
        if (row.keyBlocked()) {
            blockedKeysMet.computeIfAbsent(queue, q -> new HashSet<>()).add(row.key());
        } else if (accepted) {
            servedQueues.add(queue);
            if (row.key() != null && isFollowUpPage(queue)) {
                acceptedKeys.computeIfAbsent(queue, q -> new HashSet<>()).add(row.key());
            }
        }
    }

    private boolean isFollowUpPage(long queue) {
        return pageStarts.get(queue) > firstPageStarts.get(queue);
    }

    /**
     * Raises the read watermarks of partitions that had no row up to a sequence.
     *
     * @param commitWatermark the commit watermark before the page was read
     * @param all whether the page was read completely
     */
    void raiseWatermarks(ReadWatermark watermark, Set<Long> partitions, long commitWatermark, boolean all) {
        for (long queue : pageStarts.keySet()) {
            if (partitions.contains(queue) && !isFollowUpPage(queue) && (all || first.containsKey(queue))) {
                watermark.raise(
                        queue,
                        pageStarts.get(queue),
                        Math.min(commitWatermark, first.getOrDefault(queue, Long.MAX_VALUE) - 1));
            }
        }
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /**
     * Whether no further page of the queue has to be read: it had an acceptable row, it has no more rows, or it is
     * cleared first.
     *
     * @param cleared the partitions whose messages are moved to the queues of blocked keys
     */
    boolean isDone(long queue, int pageSize, Set<Integer> cleared) {
        return servedQueues.contains(queue)
                || (blockedKeysMet.containsKey(queue) && cleared.contains((int) queue))
                || isAtEnd(queue, pageSize);
    }

    boolean isAtEnd(long queue, int pageSize) {
        return rows.getOrDefault(queue, 0) < pageSize;
    }

    /** The last row that was read of a queue. */
    long last(long queue) {
        return last.get(queue);
    }

    /**
     * Collects the maintenance that the claim has to do. All blocked messages of a key were read: its later messages
     * can stay in the partition, and the next claim will probably remove the blocked-key row.
     *
     * @param whole the queues that were read completely
     */
    void collectMaintenance(
            List<Long> whole, Map<Long, BlockedKey> blockedKeys, int pageSize, QueueMaintenance maintenance) {
        Set<String> catchingUp = new HashSet<>();
        for (long queue : whole) {
            BlockedKey blockedKey = blockedKeys.get(queue);
            if (blockedKey != null && !rows.containsKey(queue)) {
                maintenance.emptyKeys.add(queue);
            } else if (blockedKey != null && notYetDue.contains(queue)) {
                maintenance.notYetDue.add(queue);
            } else if (blockedKey != null && rows.get(queue) < pageSize) {
                catchingUp.add(blockedKey.key());
            }
        }
        blockedKeysMet.forEach((queue, ofQueue) -> {
            if (isFollowUpPage(queue) || !catchingUp.containsAll(ofQueue)) {
                maintenance.partitionsToClear.add(queue.intValue());
            }
        });
    }

    /** The keys that now have a row where an earlier page had none. */
    Set<String> overtakingKeys(Connection connection) throws SQLException {
        Set<String> overtaking = new HashSet<>();
        for (Map.Entry<Long, Set<String>> ofQueue : acceptedKeys.entrySet()) {
            overtaking.addAll(keysBetweenPages(connection, ofQueue.getKey(), List.copyOf(ofQueue.getValue())));
        }
        return overtaking;
    }

    private Set<String> keysBetweenPages(Connection connection, long queue, List<String> wanted) throws SQLException {
        int parameters = Sequences.paddedCount(wanted.size());
        Set<String> behind = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(sql.keysBetween(parameters))) {
            select.setLong(1, queue);
            select.setLong(2, firstPageStarts.get(queue));
            select.setLong(3, pageStarts.get(queue));
            for (int i = 0; i < parameters; i++) {
                select.setString(i + 4, sql.dialect().encodeText(wanted.get(Math.min(i, wanted.size() - 1))));
            }
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    behind.add(sql.dialect().decodeText(rows.getString(1)));
                }
            }
        }
        return behind;
    }
}
