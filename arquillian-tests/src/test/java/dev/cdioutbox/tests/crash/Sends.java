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
        if (pauseMillis > 0) {
            try {
                Thread.sleep(pauseMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        int refused = BusinessEvent.parse(text.getText()).kind().refusals();
        if (refused > 0 && refusals.merge(text.getStringProperty("messageId"), 1, Integer::sum) <= refused) {
            throw new JMSException("The harness refuses this message.");
        }
        if (later != null) {
            later.send(text.getText());
            return false;
        }
        return true;
    }

    /** Sends outside of the transaction, at a later time. */
    interface Later {
        void send(String text);
    }
}
