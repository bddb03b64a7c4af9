package dev.cdioutbox.internal.dispatch.hold;

import java.util.Set;

import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/** The hold of a claim without markers, whose rows alone tell what is sent. */
record NoHold(DestinationPublisher publisher, Reservation reservation) implements Hold {

    @Override
    public void foundOthers() {
        // Several nodes and threads may claim the destination.
    }

    @Override
    public void foundNoOthers() {
        // The same.
    }

    @Override
    public boolean takeOverIfUncertain() {
        return false;
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
        reservation.prove();
    }

    @Override
    public void committed(boolean noted) {
        // The transport numbers no batches.
    }

    @Override
    public void proveUnsent() {
        reservation.prove();
    }
}
