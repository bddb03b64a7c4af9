package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was read by one statement. Each page shows what was committed when it was read: since the one before it, a message
 * may have come in behind, and its follower ahead. Such a follower must wait.
 */
final class Page {
    private final Statements sql;
    private final Map<Long, Long> starts;
    private final Map<Long, Long> bases;
    private final Map<Long, Set<String>> keys = new HashMap<>();
    private final Map<Long, Integer> rows = new HashMap<>();
    private final Map<Long, Long> last = new HashMap<>();
    private final Map<Long, Long> first = new HashMap<>();
    private final Set<Long> served = new HashSet<>();
    private final Set<Long> early = new HashSet<>();
    private final Map<Long, Set<String>> gated = new HashMap<>();

    /**
     * @param starts the sequence behind which each queue's page begins
     * @param bases the one behind which its first page began
     */
    Page(Statements sql, Map<Long, Long> starts, Map<Long, Long> bases) {
        this.sql = sql;
        this.starts = Map.copyOf(starts);
        this.bases = Map.copyOf(bases);
    }

    void add(long queue, ClaimedMessage row, boolean accepted) {
        if (rows.merge(queue, 1, Integer::sum) == 1 && !row.due()) {
            early.add(queue);
        }
        last.merge(queue, row.sequence(), Math::max);
        first.merge(queue, row.sequence(), Math::min);
        if (row.gated()) {
            gated.computeIfAbsent(queue, q -> new HashSet<>()).add(row.key());
        } else if (accepted) {
            served.add(queue);
            if (row.key() != null && isLater(queue)) {
                keys.computeIfAbsent(queue, q -> new HashSet<>()).add(row.key());
            }
        }
    }

    private boolean isLater(long queue) {
        return starts.get(queue) > bases.get(queue);
    }

    /**
     * Notes up to where partitions are empty.
     *
     * @param horizon up to where nobody wrote any more when the page was read
     * @param all whether all of the page was read
     */
    void raise(Floors floors, Set<Long> partitions, long horizon, boolean all) {
        for (long queue : starts.keySet()) {
            if (partitions.contains(queue) && !isLater(queue) && (all || first.containsKey(queue))) {
                floors.raise(
                        queue, starts.get(queue), Math.min(horizon, first.getOrDefault(queue, Long.MAX_VALUE) - 1));
            }
        }
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /**
     * Whether the queue need not be read on: it served something, it is at its end, or it is cleared first.
     *
     * @param cleared the partitions from which messages are moved behind the gates of their keys
     */
    boolean isDone(long queue, int pageSize, Set<Integer> cleared) {
        return served.contains(queue)
                || (gated.containsKey(queue) && cleared.contains((int) queue))
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
     * Notes what has to be put in order. A key of which all that is behind the gate was read now waits before it: most
     * likely the next claim finds the gate empty, and nothing has to be moved, unless that is more than a page.
     *
     * @param whole the queues whose part was read to its end
     */
    void note(List<Long> whole, Map<Long, Gate> gates, int pageSize, Tending tending) {
        Set<String> catchingUp = new HashSet<>();
        for (long queue : whole) {
            Gate gate = gates.get(queue);
            if (gate != null && !rows.containsKey(queue)) {
                tending.empty.add(queue);
            } else if (gate != null && early.contains(queue)) {
                tending.early.add(queue);
            } else if (gate != null && rows.get(queue) < pageSize) {
                catchingUp.add(gate.key());
            }
        }
        gated.forEach((queue, ofQueue) -> {
            if (isLater(queue) || !catchingUp.containsAll(ofQueue)) {
                tending.crowded.add(queue.intValue());
            }
        });
    }

    /** The keys that have a row now where an earlier page had none. */
    Set<String> overtaking(Connection connection) throws SQLException {
        Set<String> overtaking = new HashSet<>();
        for (Map.Entry<Long, Set<String>> ofQueue : keys.entrySet()) {
            overtaking.addAll(behind(connection, ofQueue.getKey(), List.copyOf(ofQueue.getValue())));
        }
        return overtaking;
    }

    private Set<String> behind(Connection connection, long queue, List<String> wanted) throws SQLException {
        int parameters = Statements.padded(wanted.size());
        Set<String> behind = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(sql.keysBehind(parameters))) {
            select.setLong(1, queue);
            select.setLong(2, bases.get(queue));
            select.setLong(3, starts.get(queue));
            for (int i = 0; i < parameters; i++) {
                select.setString(i + 4, sql.dialect().stored(wanted.get(Math.min(i, wanted.size() - 1))));
            }
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    behind.add(sql.dialect().loaded(rows.getString(1)));
                }
            }
        }
        return behind;
    }
}
