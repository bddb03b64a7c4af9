package dev.cdioutbox.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import dev.cdioutbox.protocol.Faults.Fault;

/**
 * The state of the whole world at one moment.
 *
 * @param rows the rows of the messages, in the order of {@code seq}
 * @param committed the messages in the order in which their transactions committed
 * @param owner the node that has the partition, or {@link #NO_NODE}
 * @param nodes the two dispatchers
 * @param blockedKeys the messages of all blocked keys
 * @param blocked the messages in the queue of their blocked key, which are no longer in the partition
 * @param inDoubt deliveries whose node crashed or gave up; recovery ends them
 * @param broker the messages that consumers can see, in order
 * @param watermark the watermarks that the nodes know
 * @param left the faults that may still happen
 */
record State(
        List<Row> rows,
        List<Integer> committed,
        int owner,
        List<Node> nodes,
        Messages blockedKeys,
        Messages blocked,
        List<Delivery> inDoubt,
        List<Integer> broker,
        ModelWatermark watermark,
        Faults left) {
    static final int NO_NODE = -1;

    static State initial(int messages, Faults faults) {
        return new State(
                Stream.generate(() -> Row.UNCOMMITTED).limit(messages).toList(),
                List.of(),
                NO_NODE,
                List.of(Node.IDLE, Node.IDLE),
                Messages.NONE,
                Messages.NONE,
                List.of(),
                List.of(),
                ModelWatermark.NONE,
                faults);
    }

    @Override
    public int hashCode() {
        return Hash.of(
                rows.hashCode(),
                committed.hashCode(),
                owner,
                nodes.get(0).hashCode(),
                nodes.get(1).hashCode(),
                blockedKeys.bits() << 8 | blocked.bits(),
                inDoubt.hashCode(),
                broker.hashCode(),
                watermark.hashCode(),
                left.counts());
    }

    Row row(int message) {
        return rows.get(message);
    }

    State row(int message, Row now) {
        return new State(
                replaced(rows, message, now),
                committed,
                owner,
                nodes,
                blockedKeys,
                blocked,
                inDoubt,
                broker,
                watermark,
                left);
    }

    State commit(int message) {
        return new State(
                replaced(rows, message, Row.DUE),
                added(committed, message),
                owner,
                nodes,
                blockedKeys,
                blocked,
                inDoubt,
                broker,
                watermark,
                left);
    }

    State owner(int now) {
        return new State(rows, committed, now, nodes, blockedKeys, blocked, inDoubt, broker, watermark, left);
    }

    State releasedBy(int node) {
        return owner == node ? owner(NO_NODE) : this;
    }

    State node(int node, Node now) {
        return new State(
                rows,
                committed,
                owner,
                replaced(nodes, node, now),
                blockedKeys,
                blocked,
                inDoubt,
                broker,
                watermark,
                left);
    }

    State blockedKeys(Messages now) {
        return new State(rows, committed, owner, nodes, now, blocked, inDoubt, broker, watermark, left);
    }

    State behindBlockedKeys(Messages more) {
        return new State(
                rows, committed, owner, nodes, blockedKeys, blocked.and(more), inDoubt, broker, watermark, left);
    }

    State published(int message) {
        return new State(
                rows, committed, owner, nodes, blockedKeys, blocked, inDoubt, added(broker, message), watermark, left);
    }

    State watermark(ModelWatermark now) {
        return new State(rows, committed, owner, nodes, blockedKeys, blocked, inDoubt, broker, now, left);
    }

    /** The state after this fault, which may then happen once less. */
    State after(Fault fault) {
        return new State(
                rows, committed, owner, nodes, blockedKeys, blocked, inDoubt, broker, watermark, left.less(fault));
    }

    State doubt(Delivery delivery) {
        return delivery.isInDoubt() ? inDoubt(added(inDoubt, delivery)) : this;
    }

    State resolve(Delivery old, Delivery now) {
        List<Delivery> others = new ArrayList<>(inDoubt);
        others.remove(old);
        return inDoubt(others).doubt(now);
    }

    /** Sorted, so that two ways to the same deliveries in doubt lead to one state. */
    private State inDoubt(List<Delivery> now) {
        List<Delivery> sorted = now.size() < 2
                ? now
                : now.stream()
                        .sorted(Comparator.comparingInt(Delivery::hashCode))
                        .toList();
        return new State(rows, committed, owner, nodes, blockedKeys, blocked, sorted, broker, watermark, left);
    }

    /** The rows that the other node, or a delivery in doubt, has locked. */
    Messages lockedFor(int node) {
        Node other = nodes.get(1 - node);
        return lockedInDoubt().and(other.delivery().lockedRows()).and(other.moving());
    }

    /** Whether the other node, or a delivery in doubt, has locked the blocked key. */
    boolean isBlockedKeyLockedFor(int node, Messages key) {
        Node other = nodes.get(1 - node);
        return other.tends(key)
                || holdsBlockedKey(other.delivery(), key)
                || inDoubt.stream().anyMatch(delivery -> holdsBlockedKey(delivery, key));
    }

    private static boolean holdsBlockedKey(Delivery delivery, Messages key) {
        return delivery.database().holdsLocks() && delivery.failed().meets(key);
    }

    Messages lockedInDoubt() {
        Messages locked = Messages.NONE;
        for (Delivery delivery : inDoubt) {
            locked = locked.and(delivery.lockedRows());
        }
        return locked;
    }

    private static <T> List<T> replaced(List<T> list, int place, T now) {
        List<T> copy = new ArrayList<>(list);
        copy.set(place, now);
        return List.copyOf(copy);
    }

    private static <T> List<T> added(List<T> list, T more) {
        List<T> copy = new ArrayList<>(list);
        copy.add(more);
        return List.copyOf(copy);
    }
}
