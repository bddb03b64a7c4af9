package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;

/**
 * Reads what is due in locked partitions and behind their gates, in order, and steps over keys that wait. Belongs to one
 * claim.
 */
final class QueueReader {
    private final Statements sql;
    private final MessageRow row;
    private final ClaimLimits limits;
    private final List<OutboxMessage> messages = new ArrayList<>();
    private final List<ClaimedMessage> undecodable = new ArrayList<>();
    private final Set<String> waiting = new HashSet<>();
    private final Set<Long> inDoubt = new HashSet<>();
    private final Set<String> keysInDoubt = new HashSet<>();
    private final PartitionLock.Locked locked;
    private final Gates dueGates;
    private final Map<Long, Gate> gates = new LinkedHashMap<>();
    private final Tending tending = new Tending();
    private final Floors floors;
    private final Map<Long, Long> after = new LinkedHashMap<>();
    private final Map<Long, Long> bases = new LinkedHashMap<>();
    private final Map<Long, String> putBack = new HashMap<>();
    private final Set<Long> leftOut = new HashSet<>();
    private long bytes;
    private final Round round;
    private final Fetch fetch;
    private DatabaseClock clock;

    QueueReader(Statements sql, ClaimLimits limits, PartitionLock.Locked locked, Gates gates, Floors floors) {
        this.floors = floors;
        this.sql = sql;
        this.row = new MessageRow(sql.dialect());
        this.limits = limits;
        this.locked = locked;
        this.dueGates = gates;
        this.round = new Round(locked.partitions(), limits.bytes());
        this.fetch = new Fetch(limits.bytes());
    }

    /** What was met that has to be put in order. */
    Tending tending() {
        return tending;
    }

    List<OutboxMessage> messages() {
        return round.inOrder(messages);
    }

    /** Which partitions had their turn. */
    Round round() {
        return round;
    }

    Map<Long, String> undecodable() {
        return undecodable.stream().collect(Collectors.toMap(ClaimedMessage::sequence, ClaimedMessage::problem));
    }

    Set<Long> sequences() {
        Set<Long> sequences = new HashSet<>();
        messages.forEach(message -> sequences.add(message.sequence()));
        undecodable.forEach(row -> sequences.add(row.sequence()));
        return sequences;
    }

    /** As of the last page that had a row; null if none had one. */
    DatabaseClock clock() {
        return clock;
    }

    boolean isEmpty() {
        return messages.isEmpty() && undecodable.isEmpty();
    }

    /** Pages on in each partition of which all that was read has to wait, so that what waits hides nothing behind it. */
    void read(Connection connection) throws SQLException {
        if (after.isEmpty()) {
            begin(connection);
        }
        while (!after.isEmpty() && !round.isFull()) {
            readPage(connection);
        }
    }

    /** With the gates that are due; where some are in doubt, others in their place. */
    private void begin(Connection connection) throws SQLException {
        List<Gate> due = dueGates.due(connection, locked.withDueGates(), keysInDoubt.size(), floors);
        readPutBack(connection);
        for (int partition : locked.partitions()) {
            due.stream()
                    .filter(gate -> gate.partition() == partition && !keysInDoubt.contains(gate.key()))
                    .forEach(this::begin);
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
        List<Long> sequences = floors.returned(locked.partitions(), Math.max(1, limits.messages() / 2), leftOut);
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
        } else if (!accept(Round.PUT_BACK, (int) queue, message)) {
            hold(message.key());
        }
    }

    /**
     * Takes out what is not lockable and what follows it; tells whether that was all there was. Then it begins anew: what
     * found no room beside it need not wait for it.
     */
    boolean withhold(Set<Long> lockable) {
        if (isEmpty()) {
            return false;
        }
        messages.forEach(message -> doubt(lockable, message.sequence(), message.orderingKey()));
        undecodable.forEach(row -> doubt(lockable, row.sequence(), row.key()));
        messages.removeIf(message -> isInDoubt(message.sequence(), message.orderingKey()));
        undecodable.removeIf(row -> isInDoubt(row.sequence(), row.key()));
        if (isEmpty()) {
            // Else these could be all that is read of what was put back.
            putBack.forEach((sequence, key) -> {
                if (isInDoubt(sequence, key)) {
                    leftOut.add(sequence);
                }
            });
            rewind();
        }
        return isEmpty();
    }

    private void doubt(Set<Long> lockable, long sequence, String key) {
        if (!lockable.contains(sequence)) {
            inDoubt.add(sequence);
            if (key != null) {
                keysInDoubt.add(key);
            }
        }
    }

    private boolean isInDoubt(long sequence, String key) {
        return inDoubt.contains(sequence) || (key != null && keysInDoubt.contains(key));
    }

    private void rewind() {
        waiting.clear();
        bytes = 0;
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
                                    && accept(queue, round.partitionOf(queue), message));
                }
            }
        }
        read.raise(floors, locked.queues(), horizon, !round.isFull());
        Set<String> overtaking = read.overtaking(connection);
        overtaking.forEach(this::hold);
        messages.removeIf(message -> message.orderingKey() != null && overtaking.contains(message.orderingKey()));
        read.note(round.whole(queues), gates, pageSize, tending);
        after.keySet().removeIf(queue -> read.isDone(queue, pageSize) || gates.containsKey(queue));
        after.replaceAll((queue, previous) -> read.last(queue));
    }

    /** Tells whether the row needs work now. */
    private boolean accept(long queue, int partition, ClaimedMessage row) {
        if (isInDoubt(row.sequence(), row.key()) || (row.key() != null && waiting.contains(row.key()))) {
            return false;
        }
        if (row.gated() || !row.due()) {
            hold(row.key());
            return false;
        }
        if (row.message() == null) {
            boolean first = row.key() == null
                    || messages.stream().noneMatch(message -> row.key().equals(message.orderingKey()));
            hold(row.key());
            if (first) {
                // Given up before what comes before it in the order of its key, it could hold that up for good.
                undecodable.add(row);
            }
            return first;
        }
        int size = row.bytes();
        if (round.isTooMuch(queue, size)) {
            round.close(queue);
            hold(row.key());
            return false;
        }
        if (messages.size() >= limits.messages() || (!messages.isEmpty() && bytes + size > limits.bytes())) {
            round.end(queue, partition);
            return false;
        }
        bytes += size;
        round.accepted(queue, partition, row.sequence(), size);
        messages.add(row.message());
        return true;
    }

    private void hold(String key) {
        if (key != null) {
            waiting.add(key);
        }
    }
}
