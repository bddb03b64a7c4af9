package dev.cdioutbox.internal.consume;

import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.consume.Received.Place;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.capture.AcceptedMessages;
import dev.cdioutbox.internal.store.inbox.Position;
import dev.cdioutbox.spi.DestinationId;

/**
 * Stores received messages for handlers, each once and in the order of its key, in the transaction of the caller. From then on, the
 * dispatcher has them. Knows no broker; whoever has read a message from one calls it.
 */
@ApplicationScoped
public class MessageInbox {
    private static final Logger LOG = Logger.getLogger(MessageInbox.class.getName());

    @Inject
    Outboxes outboxes;

    @Inject
    IdempotentReceiver receiver;

    @Inject
    ConsumerListeners listeners;

    /**
     * Stores a message, unless the handler has got it before.
     *
     * @param handler its name; with its outbox and a slash before it, if several outboxes have such a handler
     * @return whether it was stored, perhaps set aside
     * @throws OutboxException OBX-0470 if there is no such handler, OBX-0471 if the tables cannot hold the message, OBX-0506 without a
     *     transaction
     */
    public boolean accept(String handler, Received received, ReceivedJsonEvent event) {
        DestinationId destination = destination(handler, received.message());
        OutboxInstance outbox = outboxes.get(destination.outbox());
        // The receiver would skip or refuse what is late.
        Received anyPlace = new Received(received.message(), null, received.redelivered());
        try {
            return receiver.<Boolean>receive(
                    destination.outbox(),
                    destination.name(),
                    anyPlace,
                    () -> store(outbox, destination, received, event),
                    () -> false);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("storing throws no other", e);
        }
    }

    /** What could not be read of a message is not stored, so its transaction must not commit, even if the caller catches this. */
    public OutboxException refused(String handler, OutboxException refusal) {
        receiver.refused(handler, refusal);
        TransactionSynchronizationRegistry transaction = outboxes.transactions();
        if (transaction.getTransactionStatus() == Status.STATUS_ACTIVE) {
            transaction.setRollbackOnly();
        }
        return refusal;
    }

    private DestinationId destination(String handler, ConsumedMessage message) {
        List<DestinationId> all = outboxes.destinations().stream()
                .filter(id -> outboxes.destination(id).isLocal())
                .toList();
        List<DestinationId> named =
                all.stream().filter(id -> id.name().equals(handler)).toList();
        return all.stream()
                .filter(id -> id.toString().equals(handler))
                .findFirst()
                .or(() -> named.stream().findFirst().filter(only -> named.size() == 1))
                .orElseThrow(() -> refused(
                        handler,
                        OutboxCode.NO_SUCH_HANDLER.exception(
                                message.id(),
                                handler,
                                named.isEmpty()
                                        ? "there is none of this name"
                                        : "several outboxes have one of this name: " + named,
                                all.stream()
                                        .map(DestinationId::toString)
                                        .collect(Collectors.toCollection(TreeSet::new)))));
    }

    private boolean store(
            OutboxInstance outbox, DestinationId destination, Received received, ReceivedJsonEvent event) {
        String handler = destination.name();
        String application = outbox.config().current().store().application();
        NewMessage message = AcceptedMessage.of(application, handler, received.message(), event);
        AcceptedMessages accepted = outbox.store().accepted();
        // A copy that the inbox has forgotten: its first delivery could not insert its id.
        if (received.redelivered() && accepted.isStored(message.id())) {
            listeners.tell(listener -> listener.skippedDuplicate(handler, received.message()));
            return false;
        }
        Optional<Aside> aside = whyLate(outbox, handler, received)
                .map(reason -> new Aside(destination, accepted.setAside(message, reason), reason));
        if (aside.isEmpty()) {
            accepted.store(message, received.place() == null);
        }
        outboxes.transactions().registerInterposedSynchronization(new Acceptance(outbox, message, aside));
        return true;
    }

    /** Why a message has lost its place in the order of its key. If it has not, its key is locked from now on. */
    private static Optional<String> whyLate(OutboxInstance outbox, String handler, Received received) {
        Place place = received.place();
        if (place == null) {
            return Optional.empty();
        }
        String why =
                switch (outbox.store()
                        .inbox()
                        .advance(handler, place.key(), new Position(place.sequence(), place.storedAt()))) {
                    case IN_ORDER -> null;
                    case OVERTAKEN -> "a later message of its key was accepted before it";
                    case SEQUENCE_BEGAN_AGAIN ->
                        "it was stored later than the last accepted one of its key, but has a lower sequence, so the sequence of its"
                                + " sender has begun again";
                    case FORGOTTEN ->
                        "what was accepted longer than outbox.retention.inbox ago had higher sequences, so a later message of its key"
                                + " may have been among them";
                };
        return Optional.ofNullable(why)
                .map(reason -> OutboxCode.ACCEPTED_LATE.text(
                        received.message().id(), handler, place.key(), place.sequence(), reason));
    }

    /** What was set aside, as which {@code seq}, and why. */
    private record Aside(DestinationId destination, long sequence, String reason) {}

    /** Tells of a stored message once that is certain. */
    private record Acceptance(OutboxInstance outbox, NewMessage message, Optional<Aside> aside)
            implements Synchronization {
        @Override
        public void beforeCompletion() {
            // The message is written already.
        }

        @Override
        public void afterCompletion(int status) {
            if (status == Status.STATUS_COMMITTED) {
                outbox.captured().captured(List.of(message));
                aside.ifPresent(late -> {
                    LOG.warning(late.reason);
                    outbox.captured().setAside(late.destination, message, late.sequence, late.reason);
                });
            }
        }
    }
}
