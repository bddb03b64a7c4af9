package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/** Knows one destination more than the publisher behind it: nowhere. */
final class DiscardingPublisher implements OutboxPublisher {
    private static final Sender NOWHERE = new Sender() {
        @Override
        public void send(OutboxMessage message) {
            // The shadow mark, which the row gets when it is settled, is all that is left of it.
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
        publisher.probe(destination);
    }

    @Override
    public String transport(String destination) throws PublishException {
        return isNowhere(destination) ? "nowhere" : publisher.transport(destination);
    }
}
