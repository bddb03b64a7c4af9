package dev.cdioutbox.tests.crash;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;

/** Refuses some messages a few times, and can delay all sends, in front of the broker. Thread-safe. */
final class Sends {
    private final Map<String, Integer> refusals = new ConcurrentHashMap<>();
    private final Later later;
    private volatile long pauseMillis;

    /** @param later gets the messages instead of the broker; null in a right engine */
    Sends(Later later) {
        this.later = later;
    }

    /** Delays each send, so that a batch takes longer than a third of its lease and the engine renews the lease. */
    void slowDown(long millis) {
        pauseMillis = millis;
    }

    /** @return whether the caller must send the message to the broker now */
    boolean admit(Object message) throws JMSException {
        if (!(message instanceof TextMessage text) || !text.propertyExists("messageId")) {
            return true;
        }
        if (refuses(text.getStringProperty("messageId"), text.getText())) {
            throw new JMSException("The harness refuses this message.");
        }
        if (later != null) {
            later.send(text.getText());
            return false;
        }
        return true;
    }

    /** Waits, if sends are slow. */
    boolean refuses(String messageId, String text) {
        if (pauseMillis > 0) {
            NodeProcess.pause(pauseMillis);
        }
        int refused = BusinessEvent.parse(text).kind().refusals();
        return refused > 0 && refusals.merge(messageId, 1, Integer::sum) <= refused;
    }

    /** Sends outside of the transaction, at a later time. */
    interface Later {
        void send(String text);
    }
}
