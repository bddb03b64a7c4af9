package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** A transport with its own transactions, which commits a marker with each batch. */
final class MarkerBroker implements OutboxPublisher {
    final List<String> committed = new ArrayList<>();
    final Map<String, Marker> markers = new HashMap<>();
    int takeOvers;
    boolean away;
    /** Called before each send. */
    FakeBroker.Hook onSend = message -> {};

    /** Called before and after a transaction of the transport is committed. */
    Hook beforeCommit = () -> {};

    Hook afterCommit = () -> {};

    private final Map<String, Integer> epochs = new HashMap<>();

    private record Committed(long number, Map<Long, UUID> messages) implements Marker {}

    interface Hook {
        void run() throws PublishException;
    }

    /** Ends the work of the process that sends. */
    void die() throws PublishException {
        away = true;
        throw new PublishException(Blame.UNKNOWN, "the process died here", null);
    }

    /** The next process comes. */
    void revive() {
        beforeCommit = () -> {};
        afterCommit = () -> {};
        away = false;
    }

    @Override
    public boolean joinsTransactions() {
        return false;
    }

    @Override
    public boolean writesMarkers() {
        return true;
    }

    @Override
    public Sender open(DestinationId destination) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void probe(DestinationId destination) {
        // It answers.
    }

    @Override
    public Marker takeOver(DestinationId destination, String memory) throws PublishException {
        if (away) {
            throw new PublishException(Blame.DESTINATION, "away", null);
        }
        takeOvers++;
        epochs.merge(memory, 1, Integer::sum);
        return markers.get(memory);
    }

    @Override
    public Sender open(DestinationId destination, String memory, long number) {
        int epoch = epochs.get(memory);
        List<OutboxMessage> batch = new ArrayList<>();
        return new Sender() {
            @Override
            public void send(OutboxMessage message) throws PublishException {
                onSend.send(message);
                batch.add(message);
            }

            @Override
            public Map<OutboxMessage, PublishException> complete() throws PublishException {
                beforeCommit.run();
                if (epochs.get(memory) != epoch) {
                    throw new PublishException(Blame.UNKNOWN, "shut out", null);
                }
                batch.forEach(message -> committed.add(message.body().text()));
                markers.put(
                        memory,
                        new Committed(
                                number,
                                batch.stream().collect(Collectors.toMap(OutboxMessage::sequence, OutboxMessage::id))));
                afterCommit.run();
                return Map.of();
            }

            @Override
            public void close() {
                // There is no resource to close.
            }
        };
    }
}
