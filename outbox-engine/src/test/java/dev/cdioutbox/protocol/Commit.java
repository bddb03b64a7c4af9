package dev.cdioutbox.protocol;

import dev.cdioutbox.protocol.Protocol.Break;
import dev.cdioutbox.protocol.Protocol.Settle;

/** The effect of a branch's commit on the state. */
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

    /** Moves a failed message to the queue of its blocked key. Blocks the key if it is not blocked yet. */
    private static State behindBlockedKey(World world, State state, int message) {
        Messages one = Messages.of(message);
        return state.blockedKeys(state.blockedKeys().and(world.withTheirKeys(one)))
                .behindBlockedKeys(one);
    }

    static State database(World world, State state, Delivery delivery) {
        State after = state;
        for (int message : delivery.settled().stream().toArray()) {
            Row row = state.row(message);
            if (row == Row.DISCARDED) {
                // A discarded message that was sent becomes published; one that was not sent stays discarded.
                after = delivery.sent().has(message) ? after.row(message, Row.PUBLISHED) : after;
            } else if (row.waits()) {
                after = delivery.sent().has(message)
                        ? after.row(message, Row.PUBLISHED)
                        : behindBlockedKey(world, after.row(message, Row.FAILED), message);
            } else if (world.protocol().settle() == Settle.ANY
                    && delivery.failed().has(message)) {
                after = after.row(message, Row.REOPENED);
            }
        }
        return after;
    }
}
