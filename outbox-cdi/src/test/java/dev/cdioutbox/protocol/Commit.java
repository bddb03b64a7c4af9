package dev.cdioutbox.protocol;

import dev.cdioutbox.protocol.Protocol.Break;
import dev.cdioutbox.protocol.Protocol.Settle;

/** What the commit of a branch does to the world. */
final class Commit {
    private Commit() {}

    static State broker(World world, State state, Delivery delivery) {
        Messages taken = world.protocol().is(Break.COMMITS_FAILED_SENDS) ? delivery.settled() : delivery.sent();
        State after = state;
        for (int message : world.readingOrder()) {
            if (taken.has(message)) {
                after = after.published(message);
            }
        }
        return after;
    }

    static State database(World world, State state, Delivery delivery) {
        State after = state;
        for (int message : delivery.settled().stream().toArray()) {
            Row row = state.row(message);
            if (row.waits()) {
                after = after.row(message, delivery.sent().has(message) ? Row.PUBLISHED : Row.FAILED);
            } else if (world.protocol().settle() == Settle.ANY
                    && delivery.failed().has(message)) {
                after = after.row(message, Row.REOPENED);
            }
        }
        return after;
    }
}
