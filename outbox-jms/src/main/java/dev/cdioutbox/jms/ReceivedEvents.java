package dev.cdioutbox.jms;

import jakarta.jms.Message;

import dev.cdioutbox.ReceivedEvent;

/**
 * Reads events from JMS messages. Inject it; {@link IdempotentConsumer} has an example. Thread-safe.
 */
public interface ReceivedEvents {

    /**
     * Reads the properties and the payload of a message.
     *
     * @param message a message that an outbox sent, or one with the same properties; not null
     * @return the event, whose payload is not parsed yet; never null
     * @throws dev.cdioutbox.EventRefusedException OBX-0512 if it is neither a {@link jakarta.jms.TextMessage} nor a
     *     {@link jakarta.jms.BytesMessage}, or JMS cannot read it
     */
    ReceivedEvent read(Message message);
}
