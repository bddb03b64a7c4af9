package dev.cdioutbox.protocol;

/**
 * A dispatcher in the middle of its work, as far as it remembers it. A death forgets all of this.
 *
 * @param next the place of its next action in the protocol, {@link #DOWN} or {@link #MAINTENANCE}
 * @param page where the next page begins
 * @param waiting messages whose key was seen to wait in this reading
 * @param inDoubt messages that are stepped over for the length of the claim
 * @param batch what was read and is not sent yet
 * @param delivery what it did with the batch
 */
record Node(int next, int page, Messages waiting, Messages inDoubt, Messages batch, Delivery delivery) {
    static final int DOWN = -1;
    static final int MAINTENANCE = -2;

    static final Node IDLE = new Node(0, 0, Messages.NONE, Messages.NONE, Messages.NONE, Delivery.NOTHING);

    boolean isDown() {
        return next == DOWN;
    }

    /** In the middle of a transaction that moves messages in the queue of the blocked key of a key, or removes that blocked key. */
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

    Node turnedPage(int nextPage, Messages nowWaiting) {
        return new Node(next, nextPage, nowWaiting, inDoubt, batch, delivery);
    }

    Node steppingOver(Messages more) {
        return new Node(next, page, waiting, inDoubt.and(more), batch.without(more), delivery);
    }
}
