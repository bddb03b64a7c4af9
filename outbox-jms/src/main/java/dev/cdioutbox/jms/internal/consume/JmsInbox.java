package dev.cdioutbox.jms.internal.consume;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.jms.Message;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.consume.MessageInbox;
import dev.cdioutbox.internal.consume.Received;
import dev.cdioutbox.internal.consume.ReceivedJsonEvent;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.internal.transport.Envelope;
import dev.cdioutbox.jms.ForeignMessage;
import dev.cdioutbox.jms.Inbox;

/** Reads JMS messages for {@link MessageInbox}. */
@ApplicationScoped
public class JmsInbox implements Inbox {
    @Inject
    MessageInbox inbox;

    @Inject
    JmsReceivedEvents events;

    @Override
    public boolean accept(Message message, String handler) {
        return store(
                handler,
                () -> new Accepted(ReceivedMapping.received(handler, true, message), events.readJson(message)));
    }

    @Override
    public boolean accept(Message message, String handler, ForeignMessage described) {
        Objects.requireNonNull(described, "described");
        return store(
                handler,
                () -> new Accepted(
                        described.id() == null
                                ? ReceivedMapping.received(handler, false, message)
                                : ReceivedMapping.foreign(handler, message, described.id()),
                        described(events.readJson(message), described)));
    }

    /** The event as its properties would say it if an outbox had sent the message. */
    private static ReceivedJsonEvent described(ReceivedJsonEvent event, ForeignMessage described) {
        Map<String, String> texts = new TreeMap<>(event.headers());
        texts.put("schemaVersion", String.valueOf(described.version()));
        // Empty, since the aggregate's id would be taken for the key.
        texts.put(Envelope.KEY, Objects.requireNonNullElse(described.key(), ""));
        // Another sender's property of that name means something else.
        texts.remove(CausingMessage.GENERATION);
        return new ReceivedJsonEvent(described.type(), texts, event.payload(), event.jsonb());
    }

    private boolean store(String handler, Reading reading) {
        Accepted accepted;
        try {
            accepted = reading.read();
        } catch (OutboxException unreadable) {
            throw inbox.refused(handler, unreadable);
        }
        return inbox.accept(handler, accepted.received, accepted.event);
    }

    private record Accepted(Received received, ReceivedJsonEvent event) {}

    private interface Reading {
        Accepted read();
    }
}
