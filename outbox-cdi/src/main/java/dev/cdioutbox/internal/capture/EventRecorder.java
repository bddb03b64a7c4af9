package dev.cdioutbox.internal.capture;

import java.util.List;

import dev.cdioutbox.internal.store.NewMessage;

/**
 * Receives the captured events of a test without a server. The test kit has the bean. The extension uses the bean only
 * without a naming service. Every server has one, so the kit in a deployed application cannot divert an event.
 * Thread-safe.
 */
public interface EventRecorder {

    /** The container starts; this recorder will receive its events. */
    void begin();

    /**
     * The application has fired an outbox event.
     *
     * @param messages one for each destination that the event class names, or one for the default destination
     */
    void record(Object event, List<NewMessage> messages);
}
