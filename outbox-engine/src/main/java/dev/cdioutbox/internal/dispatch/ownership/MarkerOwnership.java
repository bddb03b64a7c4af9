package dev.cdioutbox.internal.dispatch.ownership;

import java.util.List;
import java.util.Set;
import java.util.function.Function;

import dev.cdioutbox.internal.dispatch.ownership.TakeOver.Taken;
import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.internal.store.claim.DestinationReservation;
import dev.cdioutbox.internal.store.claim.Owner;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/**
 * Only this node sends, with {@link DeliveryProtocol#MARKER}. The transport numbers the batches that it commits, and so does the
 * database when it settles them. Before the first send, and after each failure, {@link TakeOver} compares the two:
 *
 * <pre>
 *          ┌────── a failure, or another node has owned the destination ◄─────┐
 *          ▼                                                                   │
 *   take over ─► batch n + 1 and marker n + 1 are committed ─► the database notes n + 1
 * </pre>
 *
 * <p>A row in the database has the {@link FencingToken} of the destination. Each settlement and each take-over replaces it in
 * its transaction, and fails if the row has another token than the one it knows. So of two nodes that believe to own a
 * destination, the first to change the row wins.
 */
final class MarkerOwnership implements DestinationOwnership, Owner {
    private final TakeOver takeOver;
    private final DestinationReservation reservation;
    private final LastWritten lastWritten;
    private final ForeignOwnerMonitor others;

    /** What the database has, unless another node has taken over since; null if the destination has never sent by markers. */
    private FencingToken token;

    /**
     * @param reservations makes the reservation of this claim, which tells its owner what it finds
     * @param lastWritten kept for the next claim, as is {@code others}
     */
    MarkerOwnership(
            TakeOver takeOver,
            Function<Owner, DestinationReservation> reservations,
            LastWritten lastWritten,
            ForeignOwnerMonitor others) {
        this.takeOver = takeOver;
        this.reservation = reservations.apply(this);
        this.lastWritten = lastWritten;
        this.others = others;
    }

    @Override
    public DestinationPublisher publisher() {
        return takeOver.publisher();
    }

    @Override
    public Reservation reservation() {
        return reservation;
    }

    @Override
    public void nothingWaits() {
        others.ended();
    }

    @Override
    public void ownedElsewhere(FencingToken found) {
        others.found(found);
    }

    /** Takes over within the claim: otherwise nodes that take turns would take over, and send nothing. */
    @Override
    public void owned(FencingToken found) throws Exception {
        others.ended();
        token = found;
        try {
            takeOverAfterFailure();
        } catch (Exception e) {
            takeOver.reportFailure(e);
            throw e;
        }
    }

    @Override
    public Set<Long> takeOverAfterFailure() throws Exception {
        if (lastWritten.isStill(token)) {
            return Set.of();
        }
        Taken taken = takeOver.take(reservation, token);
        written(taken.token());
        return taken.committed();
    }

    /** From now on, the transport may commit the batch and report a failure: nothing is certain until the settlement. */
    @Override
    public Sender open() throws PublishException {
        lastWritten.isInDoubt();
        return publisher().open(token.memory(), token.number() + 1);
    }

    @Override
    public void proveSent() {
        takeOver.replace(reservation, token, token.next());
    }

    @Override
    public void proveUnsent() {
        takeOver.replace(reservation, token, token);
    }

    @Override
    public void committed(boolean noted) {
        written(noted ? token.next() : token);
    }

    private void written(FencingToken now) {
        token = now;
        lastWritten.is(now);
    }

    @Override
    public PartitionRange released(List<Long> partitions) {
        return PartitionRange.ALL;
    }
}
