package dev.cdioutbox.tests.transport;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/** A transport of the application: a list. */
@ApplicationScoped
public class OwnPublisher implements OutboxPublisher {
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private volatile Surroundings surroundings;

    List<String> sent() {
        return sent;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    @Override
    public boolean joinsTransactions() {
        return false;
    }

    @Override
    public Sender open(DestinationId destination) {
        return new Sender() {
            @Override
            public void send(OutboxMessage message) {
                surroundings = Surroundings.ofThisThread();
                sent.add(message.body().text());
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
    }

    @Override
    public void probe(DestinationId destination) {
        // A list is always there.
    }
}
