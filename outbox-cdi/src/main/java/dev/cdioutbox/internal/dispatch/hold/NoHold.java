package dev.cdioutbox.internal.dispatch.hold;

import java.util.Set;

import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/**
 * The hold of a claim without markers, whose rows alone tell what is sent.
 *
 * @param target the destination that really gets the messages
 */
record NoHold(Services services, String target, Way way, Reservation reservation) implements Hold {

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
        return services.open(target);
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
