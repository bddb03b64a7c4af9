package dev.cdioutbox.internal.capture;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import jakarta.enterprise.inject.Instance;

import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.message.MessageFactory;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.spi.OutboxSerializer;

/**
 * Captures the events of a unit test, in place of the outboxes. The bean is in the test kit. The extension uses it only where
 * there is no naming service, which every server has, so that the kit in a deployed application cannot divert an event.
 * Thread-safe.
 */
public interface UnitTestCapture {

    /** The serializer for an application without one of its own. */
    OutboxSerializer defaultSerializer(Instance<Object> beans);

    /**
     * The container starts; this object will receive its events.
     *
     * @param factories creates messages with the application's serializer, validator and enrichers
     * @param handlers supplies, for the name of an outbox, the event types of each handler by its name
     */
    void begin(Function<OutboxConfig, MessageFactory> factories, Function<String, Map<String, List<String>>> handlers);

    /** The application has fired an outbox event. */
    void capture(EventType type, Object event);
}
