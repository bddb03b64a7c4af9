package dev.cdioutbox.internal.dispatch.ownership;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.internal.store.SentSettlement;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.claim.DestinationReservation;
import dev.cdioutbox.internal.store.claim.Owner;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher.Marker;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Only this node sends, with {@link DeliveryProtocol#MARKER}. The transport numbers the batches that it commits, and so does the
 * database when it settles them. Before the first send, and after each failure, the two are compared:
 *
 * <pre>
 *                  ┌──────────────── a failure, or another node has owned the destination ◄──────────────┐
 *                  ▼                                                                                      │
 *   take over: shut out earlier senders, read the marker, settle ─► batch n and marker n are committed ─► n is settled
 * </pre>
 *
 * <p>A row in the database has the {@link FencingToken} of the destination. Each settlement and each take-over replaces it in
 * its transaction, and fails if the row has another token than the one it knows. So of two nodes that believe to own a
 * destination, the first to change the row wins.
 */
final class MarkerOwnership implements DestinationOwnership, Owner {
    private static final Logger LOG = Logger.getLogger(MarkerOwnership.class.getName());

    private final DestinationId destination;
    private final Environment environment;
    private final SettlementStore settlements;
    private final DestinationPublisher publisher;
    private final RetentionConfig retention;
    private final DestinationReservation reservation;
    private final ForeignOwnerMonitor others;
    /** What this node has last written for this destination; null while a batch may be committed and not settled. */
    private final AtomicReference<FencingToken> lastWritten;

    /** What the database has, unless another node has taken over since; null if the destination has never sent by markers. */
    private FencingToken token;

    /** @param lastWritten kept for the next claim, as is {@code others} */
    MarkerOwnership(
            DestinationId destination,
            Environment environment,
            ClaimStore claims,
            SettlementStore settlements,
            DestinationPublisher publisher,
            RetentionConfig retention,
            AtomicReference<FencingToken> lastWritten,
            ForeignOwnerMonitor others) {
        this.destination = destination;
        this.environment = environment;
        this.settlements = settlements;
        this.publisher = publisher;
        this.retention = retention;
        reservation = claims.wholeDestination(destination.name(), this);
        this.lastWritten = lastWritten;
        this.others = others;
    }

    @Override
    public DestinationPublisher publisher() {
        return publisher;
    }

    @Override
    public Reservation reservation() {
        return reservation;
    }

    @Override
    public PartitionRange released(List<Long> partitions) {
        return PartitionRange.ALL;
    }

    /** Keeps the claim meanwhile: otherwise nodes that take turns would take over, and send nothing. */
    @Override
    public void owned(FencingToken found) throws Exception {
        others.ended();
        token = found;
        if (isCertain()) {
            return;
        }
        try {
            takeOver();
        } catch (Exception e) {
            environment.notifyEach(l -> l.failed(destination, 0, e));
            throw e;
        }
    }

    @Override
    public void ownedElsewhere(FencingToken found) {
        others.found(found, environment.nanoTime());
    }

    @Override
    public void nothingWaits() {
        others.ended();
    }

    @Override
    public Set<Long> takeOverAfterFailure() throws Exception {
        return isCertain() ? Set.of() : takeOver();
    }

    /** Whether no batch can be committed and not settled. */
    private boolean isCertain() {
        return token != null && token.equals(lastWritten.get());
    }

    /** @return the messages of the last batch, if they may not have been settled */
    private Set<Long> takeOver() throws Exception {
        FencingToken before = token == null ? FencingToken.first() : token;
        Marker marker = publisher.takeOver(before.memory());
        Long committed = marker == null ? null : marker.number();
        return switch (Step.of(token == null ? null : token.number(), committed)) {
            case BEGIN -> {
                commitFirstMarker(before);
                yield own(before.takenOver(), Set.of());
            }
            case GO_ON -> own(before.takenOver(), Set.of());
            case SETTLE -> settle(before, marker);
            case REFUSE -> throw markerLost(before, committed);
        };
    }

    /** Before the database knows the memory: from then on, a marker that is not there is lost. */
    private void commitFirstMarker(FencingToken first) throws PublishException {
        try (Sender sender = publisher.open(first.memory(), 0)) {
            sender.complete();
        }
    }

    private Set<Long> settle(FencingToken before, Marker marker) throws Exception {
        Map<Long, UUID> sent = marker.messages();
        // An operator may have discarded some of them.
        Map<Long, UUID> waiting =
                sent.isEmpty() ? sent : environment.outside(() -> settlements.pendingIds(sent.keySet()));
        if (!sent.entrySet().containsAll(waiting.entrySet())) {
            throw markerLost(before, marker.number());
        }
        own(before.next().takenOver(), waiting.keySet());
        if (!sent.isEmpty()) {
            int discarded = sent.size() - waiting.size();
            LOG.info(OutboxCode.SETTLED_BY_MARKER.text(publisher.target(), marker.number(), waiting.size(), discarded));
        }
        return sent.keySet();
    }

    /** Owns the destination from now on, and settles these messages in the same transaction. */
    private Set<Long> own(FencingToken anew, Set<Long> sent) throws Exception {
        environment.inNew(() -> {
            replace(anew);
            if (!sent.isEmpty()) {
                SentSettlement settlement =
                        new SentSettlement(List.copyOf(sent), retention, publisher.mark(), Map.of());
                settlements.settleSent(settlement);
            }
        });
        isNow(anew);
        return sent;
    }

    private PublishException markerLost(FencingToken before, Long committed) {
        String text = OutboxCode.MARKER_LOST.text(publisher.target(), before.number(), committed);
        return new PublishException(Blame.DESTINATION, text, null);
    }

    /** From now on, the transport may commit the batch and report a failure: nothing is certain until the settlement. */
    @Override
    public Sender open() throws PublishException {
        lastWritten.set(null);
        return publisher.open(token.memory(), token.number() + 1);
    }

    @Override
    public void proveSent() {
        replace(token.next());
    }

    @Override
    public void committed(boolean noted) {
        isNow(noted ? token.next() : token);
    }

    @Override
    public void proveUnsent() {
        replace(token);
    }

    private void replace(FencingToken after) {
        if (!reservation.replace(token, after)) {
            throw OutboxCode.OWNERSHIP_LOST.exception(publisher.target());
        }
    }

    private void isNow(FencingToken now) {
        token = now;
        lastWritten.set(now);
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
