package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/** A publisher that also accepts the shadow destination "discard" and drops what is sent there. */
final class DiscardingPublisher implements OutboxPublisher {
    private static final Sender NOWHERE = new Sender() {
        @Override
        public void send(OutboxMessage message) {
            // Only the shadow mark remains, which the row gets when the batch is settled.
        }

        @Override
        public void close() {
            // Nothing was opened.
        }
    };

    private final OutboxPublisher publisher;

    DiscardingPublisher(OutboxPublisher publisher) {
        this.publisher = publisher;
    }

    static boolean isNowhere(String destination) {
        return DispatcherConfig.DISCARD.equals(destination);
    }

    @Override
    public Sender open(String destination) throws PublishException {
        return isNowhere(destination) ? NOWHERE : publisher.open(destination);
    }

    @Override
    public void probe(String destination) throws PublishException {
        if (!isNowhere(destination)) {
            publisher.probe(destination);
        }
    }

    @Override
    public String transport(String destination) throws PublishException {
        return isNowhere(destination) ? "nowhere" : publisher.transport(destination);
    }
}
