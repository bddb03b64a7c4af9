package dev.cdioutbox.protocol;

import java.util.List;
import java.util.function.Consumer;

import dev.cdioutbox.protocol.Protocol.Break;
import dev.cdioutbox.protocol.Protocol.Claim;

/** A node claims: it locks the partition, reads due messages, and leaves out messages in doubt. */
record ClaimSteps(World world, int number) implements Rule {

    @Override
    public void steps(State state, Consumer<Step> to) {
        Node node = state.nodes().get(number);
        if (node.isDown() || node.isMaintenance()) {
            return;
        }
        switch (world.protocol().action(node.next())) {
            case LOCK -> lock(state, node, to);
            case READ -> step(state.watermark(raised(state, node)), read(state, node), "reads", to);
            case LOOK -> step(state, look(state, node), "looks for rows in doubt", to);
            case RELEASE -> release(state, to);
            default -> {}
        }
    }

    private void release(State state, Consumer<Step> to) {
        State released = world.protocol().is(Break.KEEPS_CLAIM) ? state : state.releasedBy(number);
        to.accept(Step.normal(released.node(number, Node.IDLE), () -> words("releases the claim")));
    }

    private void step(State state, Node after, String what, Consumer<Step> to) {
        to.accept(Step.normal(
                state.node(number, after),
                () -> words(what + " and has " + (after.batch().isEmpty() ? "nothing" : world.names(after.batch())))));
    }

    private String words(String what) {
        return "node " + (number + 1) + " " + what;
    }

    private void lock(State state, Node node, Consumer<Step> to) {
        boolean shared = world.protocol().claim().isShared();
        if (state.rows().stream().anyMatch(Row::waits) && (shared || state.owner() == State.NO_NODE)) {
            State locked = shared ? state : state.owner(number);
            to.accept(Step.normal(
                    locked.node(number, node.goneOn()), () -> words(shared ? "begins" : "locks the partition")));
        }
    }

    /**
     * One statement, and so one snapshot, reads a page. If all rows of a page have to wait, the next action reads a
     * larger page, which begins at the first row too.
     */
    private Node read(State state, Node node) {
        List<Integer> order = world.readingOrder();
        Messages skipped = world.protocol().claim() == Claim.MESSAGES_ONLY ? claimedByOthers(state) : Messages.NONE;
        Messages batch = node.page() == 0 ? behindDueBlockedKeys(state, node) : Messages.NONE;
        Messages waiting = node.waiting();
        int place = world.protocol().is(Break.CONTINUES_BEHIND_PAGE) ? node.page() : 0;
        int rows = 0;
        while (place < order.size() && rows < world.pageSize()) {
            boolean readBefore = place < node.page();
            int message = order.get(place++);
            Row row = state.row(message);
            if ((!row.waits() && !isDirtyRead(row))
                    || state.watermark().isAbove(message)
                    || skipped.has(message)
                    || state.blocked().has(message)) {
                continue;
            }
            rows += readBefore ? 0 : 1;
            if (node.inDoubt().has(message) || waiting.has(message)) {
                continue;
            }
            if (isBlocked(state, message)) {
                waiting = waiting.and(keyOf(message));
                continue;
            }
            batch = batch.and(Messages.of(message));
        }
        if (!batch.isEmpty()) {
            return node.withBatch(batch).goneOn();
        }
        return place == order.size() ? node.at(world.protocol().release()) : node.withPage(place, waiting);
    }

    /** A page that begins at the first row shows that the partition is empty before that row. */
    private ModelWatermark raised(State state, Node node) {
        boolean isFirstRowRead = node.page() == 0 || !world.protocol().is(Break.CONTINUES_BEHIND_PAGE);
        return isFirstRowRead ? WatermarkSteps.raised(world, state) : state.watermark();
    }

    /** The first page of each blocked key's queue, if none of its messages has to wait. */
    private Messages behindDueBlockedKeys(State state, Node node) {
        Messages batch = Messages.NONE;
        for (Messages key : world.keys()) {
            Messages behind = world.all(
                    m -> key.has(m) && state.blocked().has(m) && state.row(m).waits());
            boolean later = behind.stream().anyMatch(m -> state.row(m) == Row.FAILED);
            if (state.blockedKeys().meets(key) && !later && !behind.meets(node.inDoubt())) {
                batch = batch.and(behind.first(world.pageSize()));
            }
        }
        return batch;
    }

    private boolean isBlocked(State state, int message) {
        return state.blockedKeys().has(message) && !world.protocol().is(Break.SENDS_WHILE_BLOCKED);
    }

    private boolean isDirtyRead(Row row) {
        return row == Row.UNCOMMITTED && world.protocol().is(Break.READS_DIRTY);
    }

    private Messages keyOf(int message) {
        return world.withTheirKeys(Messages.of(message));
    }

    private Messages settledSince(State state) {
        return world.protocol().is(Break.LOOK_IGNORES_STATUS)
                ? Messages.NONE
                : world.all(message -> state.row(message).isSettled());
    }

    private Messages claimedByOthers(State state) {
        Node other = state.nodes().get(1 - number);
        return state.lockedFor(number).and(other.batch());
    }

    /** Leaves out locked rows and their followers: the node reads again from the beginning without them. */
    private Node look(State state, Node node) {
        Messages locked = node.batch().in(state.lockedFor(number).and(settledSince(state)));
        if (locked.isEmpty()) {
            return node.goneOn();
        }
        Node free = node.steppingOver(
                world.protocol().is(Break.FOLLOWERS_PASS_DOUBT) ? locked : world.withTheirKeys(locked));
        return free.withBatch(Messages.NONE)
                .withPage(0, Messages.NONE)
                .at(world.protocol().read());
    }
}
