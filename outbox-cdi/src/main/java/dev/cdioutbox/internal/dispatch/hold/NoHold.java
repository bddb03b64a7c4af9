package dev.cdioutbox.internal.dispatch.hold;

import java.util.Set;

import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/** The hold of a claim without markers, whose rows alone tell what is sent. */
record NoHold(DeliveryContext context, Way way) implements Hold {

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
        return context.services().open(context.target());
    }

    @Override
    public void noteBatch() {
        // The transport numbers no batches.
    }

    @Override
    public void committed(boolean noted) {
        // The same.
    }

    @Override
    public void ensureHeld() {
        // The settlement finds out if the claim was lost.
    }
}
