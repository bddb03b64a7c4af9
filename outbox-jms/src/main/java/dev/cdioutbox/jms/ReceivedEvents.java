package dev.cdioutbox.jms;

import jakarta.jms.Message;

/** Reads events from JMS messages; to be injected. */
public interface ReceivedEvents {

    /**
     * Reads what a message says of itself, and its text.
     *
     * @param message a message that an outbox sent, or one with the same properties
     * @return the event; its payload is not read yet
     * @throws dev.cdioutbox.OutboxException OBX-0512 if it is no text message or cannot be read
     */
    ReceivedEvent read(Message message);
}
