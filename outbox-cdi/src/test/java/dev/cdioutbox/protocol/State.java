package dev.cdioutbox.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import dev.cdioutbox.protocol.Faults.Fault;

/**
 * Everything there is at one moment.
 *
 * @param rows what the database shows, in the order of {@code seq}
 * @param committed the messages in the order in which their transactions committed
 * @param owner the node that has the partition, or {@link #NOBODY}
 * @param nodes the two dispatchers
 * @param gates the keys that have a gate, as all of their messages
 * @param gated the messages that wait behind the gate of their key and no longer in the partition
 * @param inDoubt deliveries whose node is gone or gave up, to be ended by recovery
 * @param broker what consumers can see, in order
 * @param floor what the nodes know of how far the partition is empty
 * @param left what may still go wrong
 */
record State(
        List<Row> rows,
        List<Integer> committed,
        int owner,
        List<Node> nodes,
        Messages gates,
        Messages gated,
        List<Delivery> inDoubt,
        List<Integer> broker,
        Floor floor,
        Faults left) {
    static final int NOBODY = -1;

    static State initial(int messages, Faults faults) {
        return new State(
                Stream.generate(() -> Row.UNCOMMITTED).limit(messages).toList(),
                List.of(),
                NOBODY,
                List.of(Node.IDLE, Node.IDLE),
                Messages.NONE,
                Messages.NONE,
                List.of(),
                List.of(),
                Floor.NONE,
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
                gates.bits() << 8 | gated.bits(),
                inDoubt.hashCode(),
                broker.hashCode(),
                floor.hashCode(),
                left.counts());
    }

    Row row(int message) {
        return rows.get(message);
    }

    State row(int message, Row now) {
        return new State(
                replaced(rows, message, now), committed, owner, nodes, gates, gated, inDoubt, broker, floor, left);
    }

    State commit(int message) {
        return new State(
                replaced(rows, message, Row.DUE),
                added(committed, message),
                owner,
                nodes,
                gates,
                gated,
                inDoubt,
                broker,
                floor,
                left);
    }

    State owner(int now) {
        return new State(rows, committed, now, nodes, gates, gated, inDoubt, broker, floor, left);
    }

    State releasedBy(int node) {
        return owner == node ? owner(NOBODY) : this;
    }

    State node(int node, Node now) {
        return new State(
                rows, committed, owner, replaced(nodes, node, now), gates, gated, inDoubt, broker, floor, left);
    }

    State gates(Messages now) {
        return new State(rows, committed, owner, nodes, now, gated, inDoubt, broker, floor, left);
    }

    State behindGates(Messages more) {
        return new State(rows, committed, owner, nodes, gates, gated.and(more), inDoubt, broker, floor, left);
    }

    State published(int message) {
        return new State(rows, committed, owner, nodes, gates, gated, inDoubt, added(broker, message), floor, left);
    }

    State floor(Floor now) {
        return new State(rows, committed, owner, nodes, gates, gated, inDoubt, broker, now, left);
    }

    /** One fault less may happen. */
    State after(Fault fault) {
        return new State(rows, committed, owner, nodes, gates, gated, inDoubt, broker, floor, left.less(fault));
    }

    State doubt(Delivery delivery) {
        return delivery.isInDoubt() ? inDoubt(added(inDoubt, delivery)) : this;
    }

    State resolve(Delivery old, Delivery now) {
        List<Delivery> others = new ArrayList<>(inDoubt);
        others.remove(old);
        return inDoubt(others).doubt(now);
    }

    /** In one order, so that two ways to the same doubts are one state. */
    private State inDoubt(List<Delivery> now) {
        List<Delivery> sorted = now.size() < 2
                ? now
                : now.stream()
                        .sorted(Comparator.comparingInt(Delivery::hashCode))
                        .toList();
        return new State(rows, committed, owner, nodes, gates, gated, sorted, broker, floor, left);
    }

    /** The rows that somebody other than this node has locked. */
    Messages lockedFor(int node) {
        Node other = nodes.get(1 - node);
        return lockedInDoubt().and(other.delivery().lockedRows()).and(other.moving());
    }

    /** Whether somebody other than this node has locked the gate of a key. */
    boolean isGateLockedFor(int node, Messages key) {
        Node other = nodes.get(1 - node);
        return other.tends(key)
                || holdsGate(other.delivery(), key)
                || inDoubt.stream().anyMatch(delivery -> holdsGate(delivery, key));
    }

    private static boolean holdsGate(Delivery delivery, Messages key) {
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
