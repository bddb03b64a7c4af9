package dev.cdioutbox.internal.dispatch.ownership;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/** Several nodes and threads may send to the destination. The rows alone tell what is sent. */
record SharedOwnership(DestinationPublisher publisher, Reservation reservation) implements DestinationOwnership {

    /**
     * Supplies the claims of a destination.
     *
     * @param reservations supplies each claim with its own, for the name of the destination
     */
    static Supplier<DestinationOwnership> ofEachClaim(
            DestinationPublisher publisher, String destination, Function<String, Reservation> reservations) {
        return () -> new SharedOwnership(publisher, reservations.apply(destination));
    }

    @Override
    public void nothingWaits() {
        // No other node keeps this one from sending, so there is nothing to forget.
    }

    @Override
    public PartitionRange released(List<Long> partitions) {
        return PartitionRange.of(partitions);
    }

    @Override
    public Set<Long> takeOverAfterFailure() {
        return Set.of();
    }

    @Override
    public Sender open() throws PublishException {
        return publisher.open();
    }

    @Override
    public void proveSent() {
        prove();
    }

    /**
     * Not for a handler: a lease may be on another DataSource, which would be a second branch of its transaction. The settlement of
     * one row proves as much, because it fails if another node has settled the row.
     */
    private void prove() {
        if (!publisher.protocol().callsApplication()) {
            reservation.prove();
        }
    }

    @Override
    public void committed(boolean noted) {
        // The transport numbers no batches.
    }

    @Override
    public void proveUnsent() {
        prove();
    }
}
