package dev.cdioutbox.tests.crash;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;

/** Refuses some messages a few times, and can delay all sends, before the broker gets them. Thread-safe. */
final class Sends {
    private final Map<String, Integer> refusals = new ConcurrentHashMap<>();
    private final Later later;
    private volatile long pauseMillis;

    /** @param later takes messages in place of the broker; null in each engine that is right */
    Sends(Later later) {
        this.later = later;
    }

    /** Makes each send last longer, so that a batch outlives a third of its lease. */
    void slowDown(long millis) {
        pauseMillis = millis;
    }

    /** @return whether the broker gets it now */
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

    /** Sends outside of the transaction, at some later moment. */
    interface Later {
        void send(String text);
    }
}
