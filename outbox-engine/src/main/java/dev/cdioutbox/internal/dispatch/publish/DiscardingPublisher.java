package dev.cdioutbox.internal.dispatch.publish;

import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/** Sends nothing, for the shadow destination {@code discard}. */
final class DiscardingPublisher implements OutboxPublisher {
    private static final Sender NOWHERE = new Sender() {
        @Override
        public void send(OutboxMessage message) {
            // The settlement marks it.
        }

        @Override
        public Map<OutboxMessage, PublishException> complete() {
            return Map.of();
        }

        @Override
        public void close() {
            // There is no resource to close.
        }
    };

    @Override
    public boolean joinsTransactions() {
        return true;
    }

    @Override
    public Sender open(DestinationId destination) {
        return NOWHERE;
    }

    @Override
    public void probe(DestinationId destination) {
        // There is no broker.
    }

    @Override
    public String describe(DestinationId destination) {
        return "nowhere";
    }
}
