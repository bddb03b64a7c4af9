package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;

/**
 * Reads what is due in locked partitions and behind their gates, in order, and steps over keys that wait. Belongs to one
 * claim.
 */
final class QueueReader {
    private final Statements sql;
    private final MessageRow row;
    private final ClaimLimits limits;
    private final Doubts doubts = new Doubts();
    private final Batch batch;
    private final Set<Long> wholly = new HashSet<>();
    private final PartitionLock.Locked locked;
    private final Gates dueGates;
    private final Map<Long, Gate> gates = new LinkedHashMap<>();
    private final Tending tending = new Tending();
    private final Floors floors;
    private final Map<Long, Long> after = new LinkedHashMap<>();
    private final Map<Long, Long> bases = new LinkedHashMap<>();
    private final Map<Long, String> putBack = new HashMap<>();
    private final Set<Long> leftOut = new HashSet<>();
    private final Round round;
    private final Fetch fetch;
    private final Tending before;
    private DatabaseClock clock;
    private boolean isReadAnew;
    private boolean begunAnywhere = true;
    private boolean leftGates;

    /**
     * @param before what the claim has put in order already
     */
    QueueReader(
            Statements sql,
            ClaimLimits limits,
            PartitionLock.Locked locked,
            Gates gates,
            Floors floors,
            Tending before) {
        this.before = before;
        this.floors = floors;
        this.sql = sql;
        this.row = new MessageRow(sql.dialect());
        this.limits = limits;
        this.locked = locked;
        this.dueGates = gates;
        this.round = new Round(locked.partitions(), limits.bytes());
        this.fetch = new Fetch(limits.bytes());
        this.batch = new Batch(limits, round, doubts);
    }

    /** What was met that has to be put in order. */
    Tending tending() {
        return tending;
    }

    Batch batch() {
        return batch;
    }

    /** Which partitions had their turn. */
    Round round() {
        return round;
    }

    /** As of the last page that had a row; null if none had one. */
    DatabaseClock clock() {
        return clock;
    }

    /** Pages on in each partition of which all that was read has to wait, so that what waits hides nothing behind it. */
    void read(Connection connection) throws SQLException {
        if (after.isEmpty()) {
            begin(connection);
        }
        readPages(connection);
        if (batch.isEmpty() && leftGates) {
            rewind();
            begin(connection);
            readPages(connection);
        }
    }

    private void readPages(Connection connection) throws SQLException {
        while (!after.isEmpty() && !round.isFull()) {
            readPage(connection);
        }
    }

    /** The batch is as it is going to be sent: where the next ones begin. */
    void endTurn() {
        for (int partition : locked.partitions()) {
            if (round.isEnd(partition)) {
                long queue = round.endQueue();
                dueGates.turns().endedAt(queue, round.hasPart(queue), partition, gatesOf(partition));
                return;
            }
            dueGates.turns().begin(partition);
        }
    }

    /** It ended before this message of it. */
    void endTurnBefore(OutboxMessage message) {
        int partition = round.partitionOf(message);
        long queue = round.queueOf(message);
        boolean hadPart = batch.messages().stream()
                .takeWhile(before -> before.sequence() != message.sequence())
                .anyMatch(before -> round.queueOf(before) == queue);
        dueGates.turns().endedAt(queue, hadPart, partition, gatesOf(partition));
    }

    private List<Long> gatesOf(int partition) {
        return gates.values().stream()
                .filter(gate -> gate.partition() == partition)
                .map(Gate::id)
                .toList();
    }

    /** With the gates that are due; where some are in doubt, others in their place. */
    private void begin(Connection connection) throws SQLException {
        int ofEach = Gates.ofEach(locked.withDueGates().size());
        List<Gate> due = dueGates.due(connection, locked.withDueGates(), ofEach + doubts.keys(), floors);
        readPutBack(connection);
        for (int partition : locked.partitions()) {
            List<Gate> free = due.stream()
                    .filter(gate -> gate.partition() == partition && !doubts.concern(gate.key()))
                    .toList();
            List<Gate> turn = begunAnywhere ? dueGates.turns().from(partition, free) : free;
            leftGates |= turn.size() < free.size();
            turn.stream().limit(ofEach).forEach(this::begin);
            if (free.size() < ofEach) {
                free.forEach(gate -> wholly.add(gate.id()));
            }
            after.put((long) partition, floors.of(partition));
            round.add(partition, partition);
        }
        bases.putAll(after);
    }

    private void begin(Gate gate) {
        gates.put(gate.id(), gate);
        after.put(gate.id(), 0L);
        round.add(gate.id(), gate.partition());
    }

    /** By their sequences, wherever the floors are: these have no place in the order. */
    private void readPutBack(Connection connection) throws SQLException {
        int most = Math.max(1, limits.messages() / 2);
        List<Long> sequences = floors.returned(locked.partitions(), most, leftOut);
        if (sequences.size() < most) {
            wholly.add(Round.PUT_BACK);
        }
        if (sequences.isEmpty()) {
            return;
        }
        Set<Long> gone = new HashSet<>(sequences);
        int parameters = Statements.padded(sequences.size());
        try (PreparedStatement select = connection.prepareStatement(sql.readSome(parameters))) {
            for (int i = 0; i < parameters; i++) {
                select.setLong(i + 1, sequences.get(Math.min(i, sequences.size() - 1)));
            }
            fetch.begin(select);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    clock = DatabaseClock.at(row.readAt(rows));
                    long queue = rows.getLong("queue_id");
                    ClaimedMessage message = row.claimed(rows);
                    fetch.next(rows, Math.max(message.bytes(), rows.getInt("payload_bytes")));
                    if (queue <= Integer.MAX_VALUE && locked.partitions().contains((int) queue)) {
                        gone.remove(message.sequence());
                        putBack.put(message.sequence(), message.key());
                        acceptPutBack(queue, message);
                    }
                }
            }
        }
        floors.forget(gone);
    }

    private void acceptPutBack(long queue, ClaimedMessage message) {
        if (message.gated()) {
            // It has to be moved behind that, which is done in order.
            floors.lower(queue, message.sequence() - 1);
        } else if (!batch.accept(Round.PUT_BACK, (int) queue, message)) {
            batch.hold(message.key());
        }
    }

    /**
     * Takes out what is not lockable and what follows it; tells whether that was all there was in a queue that has more. Then
     * everything is read anew, without it: it must not hide what is behind it, nor take the room of others.
     */
    boolean withhold(Set<Long> lockable) {
        Set<Long> had = batch.served();
        batch.withhold(lockable);
        had.removeAll(batch.served());
        wholly.removeAll(batch.cut());
        if (!had.isEmpty() && (batch.isEmpty() || !wholly.containsAll(had))) {
            // Else these could be all that is read of what was put back.
            putBack.forEach((sequence, key) -> {
                if (doubts.concern(sequence, key)) {
                    leftOut.add(sequence);
                }
            });
            rewind();
            isReadAnew = true;
            return true;
        }
        return false;
    }

    private void rewind() {
        begunAnywhere = false;
        leftGates = false;
        batch.rewind();
        wholly.clear();
        round.rewind();
        gates.clear();
        after.clear();
        bases.clear();
        putBack.clear();
    }

    private void readPage(Connection connection) throws SQLException {
        List<Long> queues = List.copyOf(after.keySet());
        int pageSize = Math.max(1, limits.messages() / queues.size());
        long horizon = floors.horizon();
        Page read = new Page(sql, after, bases);
        try (PreparedStatement select = connection.prepareStatement(sql.readQueues(queues.size()))) {
            int parameter = 0;
            for (long queue : queues) {
                select.setLong(++parameter, queue);
                select.setLong(++parameter, after.get(queue));
                select.setInt(++parameter, pageSize);
            }
            // A driver that fetches all at once would hold a whole page of payloads before their sizes are looked at.
            fetch.begin(select);
            try (ResultSet rows = select.executeQuery()) {
                while (!round.isFull() && rows.next()) {
                    clock = read.isEmpty() ? DatabaseClock.at(row.readAt(rows)) : clock;
                    long queue = rows.getLong("queue_id");
                    ClaimedMessage message = row.claimed(rows);
                    fetch.next(rows, Math.max(message.bytes(), rows.getInt("payload_bytes")));
                    read.add(
                            queue,
                            message,
                            !putBack.containsKey(message.sequence())
                                    && batch.accept(queue, round.partitionOf(queue), message));
                }
            }
        }
        read.raise(floors, locked.queues(), horizon, !round.isFull());
        batch.holdAll(read.overtaking(connection));
        List<Long> whole = round.whole(queues);
        read.note(whole, gates, pageSize, tending);
        whole.stream()
                .filter(queue -> !gates.containsKey(queue) && read.isAtEnd(queue, pageSize))
                .forEach(wholly::add);
        after.keySet().removeIf(queue -> gates.containsKey(queue) || read.isDone(queue, pageSize, cleared()));
        after.replaceAll((queue, previous) -> read.last(queue));
    }

    /** The partitions of which nothing is read behind what belongs behind gates: it is moved there by claims, a piece by each. */
    private Set<Integer> cleared() {
        if (isReadAnew) {
            return before.cleared();
        }
        Set<Integer> cleared = new HashSet<>(tending.crowded);
        cleared.removeAll(before.uncleared);
        return cleared;
    }

    /** The gates that were read anew: when the claim is over, those that have nothing behind them must not stand before others. */
    Tending leftToTend() {
        Tending left = new Tending();
        if (isReadAnew) {
            left.empty.addAll(gates.keySet());
            left.early.addAll(tending.early);
        }
        return left;
    }
}
