package dev.cdioutbox.protocol;

/**
 * The memory of a dispatcher during its work, which a crash clears.
 *
 * @param next the place of its next action in the protocol, {@link #DOWN} or {@link #MAINTENANCE}
 * @param page the place at which the last page of this read ended; 0 before the first page
 * @param waiting messages of the keys that this read found waiting; during maintenance, the messages of the maintained
 *     key
 * @param inDoubt messages that this claim leaves out
 * @param batch messages that were read and not sent yet; during maintenance, the messages being moved
 * @param delivery the work with the batch
 */
record Node(int next, int page, Messages waiting, Messages inDoubt, Messages batch, Delivery delivery) {
    static final int DOWN = -1;
    static final int MAINTENANCE = -2;

    static final Node IDLE = new Node(0, 0, Messages.NONE, Messages.NONE, Messages.NONE, Delivery.NOTHING);

    boolean isDown() {
        return next == DOWN;
    }

    /** In a transaction that moves messages to the queue of a blocked key, or removes that blocked key. */
    Node maintenance(Messages key, Messages moved) {
        return new Node(MAINTENANCE, 0, key, Messages.NONE, moved, Delivery.NOTHING);
    }

    boolean isMaintenance() {
        return next == MAINTENANCE;
    }

    boolean tends(Messages key) {
        return isMaintenance() && waiting.meets(key);
    }

    Messages moving() {
        return isMaintenance() ? batch : Messages.NONE;
    }

    boolean isIdle() {
        return next == 0;
    }

    @Override
    public int hashCode() {
        int read = (page << 4 | waiting.bits()) << 8 | inDoubt.bits() << 4 | batch.bits();
        return Hash.of(next, read, delivery.hashCode());
    }

    Node at(int action) {
        return new Node(action, page, waiting, inDoubt, batch, delivery);
    }

    Node goneOn() {
        return at(next + 1);
    }

    Node with(Delivery now) {
        return new Node(next, page, waiting, inDoubt, batch, now);
    }

    Node withBatch(Messages now) {
        return new Node(next, page, waiting, inDoubt, now, delivery);
    }

    Node withPage(int nextPage, Messages nowWaiting) {
        return new Node(next, nextPage, nowWaiting, inDoubt, batch, delivery);
    }

    Node steppingOver(Messages more) {
        return new Node(next, page, waiting, inDoubt.and(more), batch.without(more), delivery);
    }
}
