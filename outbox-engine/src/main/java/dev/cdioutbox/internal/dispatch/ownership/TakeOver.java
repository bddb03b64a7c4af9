package dev.cdioutbox.internal.dispatch.ownership;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.internal.store.claim.DestinationReservation;
import dev.cdioutbox.internal.store.settle.PendingRows;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher.Marker;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Makes this node the owner of a destination whose transport writes markers. Shuts out earlier senders, compares the number of
 * the last batch that the transport has committed with that of the last one that the database has settled, and settles what is
 * committed only.
 *
 * @param retention of the messages that are settled
 */
record TakeOver(
        DestinationId destination,
        Environment environment,
        SettlementStore settlements,
        PendingRows pendingRows,
        DestinationPublisher publisher,
        RetentionConfig retention) {
    private static final Logger LOG = Logger.getLogger(TakeOver.class.getName());

    /**
     * A destination that this node owns.
     *
     * @param token what the database has now
     * @param committed the messages of the last batch, if they may not have been settled before
     */
    record Taken(FencingToken token, Set<Long> committed) {}

    /**
     * Takes the destination over, outside of a transaction.
     *
     * @param found what the database has; null if the destination has never sent by markers
     * @param reservation the claim's
     * @throws PublishException OBX-0443 if one of the two has lost its memory
     * @throws dev.cdioutbox.OutboxException OBX-0445 if another node takes it over as well
     */
    Taken take(DestinationReservation reservation, FencingToken found) throws Exception {
        FencingToken before = found == null ? FencingToken.first() : found;
        Marker marker = publisher.takeOver(before.memory());
        Step step = Step.of(found == null ? null : found.number(), marker == null ? null : marker.number());
        Map<Long, UUID> committed = step == Step.SETTLE ? marker.messages() : Map.of();
        // An operator may have discarded some of them.
        Map<Long, UUID> waiting =
                committed.isEmpty() ? committed : environment.outside(() -> pendingRows.pendingIds(committed.keySet()));
        boolean isOfAnotherDatabase = !committed.entrySet().containsAll(waiting.entrySet());
        if (step == Step.REFUSE || isOfAnotherDatabase) {
            throw markerLost(before, marker);
        }
        if (step == Step.BEGIN) {
            commitFirstMarker(before);
        }
        FencingToken after = (step == Step.SETTLE ? before.next() : before).takenOver();
        environment.inNew(() -> {
            replace(reservation, found, after);
            settle(waiting.keySet());
        });
        if (!committed.isEmpty()) {
            int discarded = committed.size() - waiting.size();
            LOG.info(OutboxCode.SETTLED_BY_MARKER.text(publisher.target(), marker.number(), waiting.size(), discarded));
        }
        return new Taken(after, committed.keySet());
    }

    /** Tells the listeners. Not called for a batch, whose delivery reports its failures. */
    void reportFailure(Exception failure) {
        environment.notifyEach(l -> l.failed(destination, 0, failure));
    }

    /** Before the database knows the memory: from then on, a marker that is not there is lost. */
    private void commitFirstMarker(FencingToken first) throws PublishException {
        try (Sender sender = publisher.open(first.memory(), 0)) {
            sender.complete();
        }
    }

    private void settle(Set<Long> sent) {
        if (!sent.isEmpty()) {
            settlements.settleSent(new SentSettlement(List.copyOf(sent), retention, publisher.mark(), Map.of()));
        }
    }

    private PublishException markerLost(FencingToken before, Marker marker) {
        Long committed = marker == null ? null : marker.number();
        String text = OutboxCode.MARKER_LOST.text(publisher.target(), before.number(), committed);
        return new PublishException(Blame.DESTINATION, text, null);
    }

    /** Replaces the token in the current transaction, so that of two nodes only the first one commits. */
    void replace(DestinationReservation reservation, FencingToken before, FencingToken after) {
        if (!reservation.replace(before, after)) {
            throw OutboxCode.OWNERSHIP_LOST.exception(publisher.target());
        }
    }

    /** What follows from a comparison of database and transport. */
    enum Step {
        /** The destination has never sent by markers: commit the first one. */
        BEGIN,
        /** All that is committed is settled. */
        GO_ON,
        /** The last batch is committed, and perhaps not settled. */
        SETTLE,
        /** One of the two has lost its memory: a batch may be committed and not settled, and nothing tells which. */
        REFUSE;

        /**
         * <table>
         * <caption>Which step follows</caption>
         * <tr><th>the database has settled</th><th>the transport has committed</th><th>step</th></tr>
         * <tr><td>nothing</td><td>nothing</td><td>BEGIN</td></tr>
         * <tr><td>n</td><td>n</td><td>GO_ON</td></tr>
         * <tr><td>n</td><td>n + 1</td><td>SETTLE</td></tr>
         * <tr><td colspan="2">anything else</td><td>REFUSE</td></tr>
         * </table>
         *
         * @param settled the number of a batch; null for nothing
         * @param committed the number of a batch; null for nothing
         */
        static Step of(Long settled, Long committed) {
            if (settled == null || committed == null) {
                return settled == null && committed == null ? BEGIN : REFUSE;
            }
            if (committed.equals(settled)) {
                return GO_ON;
            }
            return committed == settled + 1 ? SETTLE : REFUSE;
        }
    }
}
