package dev.cdioutbox.internal.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;

/** What is accepted of the rows that a claim reads: for each key in order and without a gap. Belongs to one claim. */
final class Batch {
    private final ClaimLimits limits;
    private final Round round;
    private final Doubts doubts;
    private final List<OutboxMessage> messages = new ArrayList<>();
    private final List<ClaimedMessage> undecodable = new ArrayList<>();
    private final Set<String> waiting = new HashSet<>();
    private final Map<Long, Long> queueOf = new HashMap<>();
    private final Set<Long> cut = new HashSet<>();
    private long bytes;

    Batch(ClaimLimits limits, Round round, Doubts doubts) {
        this.limits = limits;
        this.round = round;
        this.doubts = doubts;
    }

    List<OutboxMessage> messages() {
        return round.inOrder(messages);
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

    boolean isEmpty() {
        return messages.isEmpty() && undecodable.isEmpty();
    }

    /** The queues from which something was accepted. */
    Set<Long> served() {
        return sequences().stream().map(queueOf::get).collect(Collectors.toSet());
    }

    /** The queues of which something found no room. */
    Set<Long> cut() {
        return cut;
    }

    /** Tells whether the row needs work now. */
    boolean accept(long queue, int partition, ClaimedMessage row) {
        if (doubts.concern(row.sequence(), row.key()) || (row.key() != null && waiting.contains(row.key()))) {
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
                queueOf.put(row.sequence(), queue);
            }
            return first;
        }
        int size = row.bytes();
        if (round.isTooMuch(queue, size)) {
            round.close(queue);
            cut.add(queue);
            hold(row.key());
            return false;
        }
        if (messages.size() >= limits.messages() || (!messages.isEmpty() && bytes + size > limits.bytes())) {
            round.end(queue, partition);
            cut.add(queue);
            return false;
        }
        bytes += size;
        round.accepted(queue, partition, row.sequence(), size);
        messages.add(row.message());
        queueOf.put(row.sequence(), queue);
        return true;
    }

    /** Nothing more of this key, which may be null. */
    void hold(String key) {
        if (key != null) {
            waiting.add(key);
        }
    }

    /** What was accepted of these keys is not to be sent, nor what follows. */
    void holdAll(Set<String> keys) {
        keys.forEach(this::hold);
        messages.removeIf(message -> message.orderingKey() != null && keys.contains(message.orderingKey()));
    }

    /** Takes out what is not lockable, and what follows it. */
    void withhold(Set<Long> lockable) {
        messages.forEach(message -> doubt(lockable, message.sequence(), message.orderingKey()));
        undecodable.forEach(row -> doubt(lockable, row.sequence(), row.key()));
        messages.removeIf(message -> doubts.concern(message.sequence(), message.orderingKey()));
        undecodable.removeIf(row -> doubts.concern(row.sequence(), row.key()));
    }

    private void doubt(Set<Long> lockable, long sequence, String key) {
        if (!lockable.contains(sequence)) {
            doubts.add(sequence, key);
        }
    }

    /** Nothing of it counts: it begins anew. */
    void rewind() {
        messages.clear();
        undecodable.clear();
        waiting.clear();
        queueOf.clear();
        cut.clear();
        bytes = 0;
    }
}
