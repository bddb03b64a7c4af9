package dev.cdioutbox.internal.consume;

import java.util.function.Consumer;

import dev.cdioutbox.internal.outbox.Outboxes;

/** Stores received messages in a plain JVM: the real inbox, without the CDI container that injects its parts. */
public final class PlainInbox extends MessageInbox {
    public PlainInbox(Outboxes outboxes) {
        this.outboxes = outboxes;
        listeners = new NoListeners();
        receiver = new IdempotentReceiver();
        receiver.outboxes = outboxes;
        receiver.listeners = listeners;
    }

    private static final class NoListeners extends ConsumerListeners {
        @Override
        public void tell(Consumer<ConsumerListener> news) {
            // A plain JVM has no metrics.
        }
    }
}
