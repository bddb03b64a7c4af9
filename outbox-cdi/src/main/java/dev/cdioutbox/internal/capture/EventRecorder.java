package dev.cdioutbox.internal.capture;

import java.util.List;

import dev.cdioutbox.internal.store.NewMessage;

/**
 * Receives the captured events of a test without a server. The test kit brings the bean. The extension uses the bean
 * only where no naming service is, which every server has: the kit in a deployed application cannot divert an event. Thread-safe.
 */
public interface EventRecorder {

    /** The container starts, and this recorder will receive its events. */
    void begin();

    /**
     * An outbox event was fired.
     *
     * @param messages one for each destination that the event class names, or one for the default destination
     */
    void record(Object event, List<NewMessage> messages);
}
