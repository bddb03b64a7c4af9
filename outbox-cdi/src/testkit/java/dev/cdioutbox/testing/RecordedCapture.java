package dev.cdioutbox.testing;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Function;

import jakarta.enterprise.inject.Instance;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.spi.JsonbProvider;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.capture.UnitTestCapture;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventValidation;
import dev.cdioutbox.internal.capture.message.JsonbSerializer;
import dev.cdioutbox.internal.capture.message.MessageFactory;
import dev.cdioutbox.internal.config.ConfigReader;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.OutboxProperties;
import dev.cdioutbox.internal.consume.ApplicationJsonb;
import dev.cdioutbox.spi.OutboxSerializer;

/**
 * Creates the same messages as an outbox on a server, and records them. Without configuration, transaction and tables,
 * each event counts at {@code fire()}. Thread-safe.
 */
final class RecordedCapture implements UnitTestCapture {
    private final CapturedEvents events;
    private volatile Function<OutboxConfig, MessageFactory> factories;
    /** Null without a container. */
    private volatile Function<String, Map<String, List<String>>> handlers;

    RecordedCapture(CapturedEvents events) {
        this.events = events;
    }

    /** For a test without a CDI container: without validation and enrichers. */
    static RecordedCapture withoutContainer(CapturedEvents events) {
        OutboxSerializer serializer = hasJsonb() ? new JsonbSerializer(JsonbBuilder.create()) : new EventText();
        RecordedCapture capture = new RecordedCapture(events);
        // Not begin(): on a server, the recorder would then show an empty list, though the real outbox captures.
        capture.factories = config -> new MessageFactory(config, EventValidation.NONE, serializer, List.of());
        return capture;
    }

    /** Serializes as on a server if the class path has JSON-B, so that an unserializable event fails its test. */
    @Override
    public OutboxSerializer defaultSerializer(Instance<Object> beans) {
        return hasJsonb() ? new JsonbSerializer(ApplicationJsonb.of(beans)) : new EventText();
    }

    private static boolean hasJsonb() {
        return ServiceLoader.load(JsonbProvider.class).findFirst().isPresent();
    }

    @Override
    public void begin(
            Function<OutboxConfig, MessageFactory> container, Function<String, Map<String, List<String>>> ofContainer) {
        factories = container;
        handlers = ofContainer;
        events.begin();
    }

    @Override
    public void capture(EventType type, Object event) {
        events.record(event, type.outbox(), factories.apply(config(type)).messages(type, event));
    }

    /** Configures each destination that the event class names; only a deployment checks these names. */
    private OutboxConfig config(EventType type) {
        Map<String, String> properties = new TreeMap<>();
        type.destinations().stream()
                .filter(destination -> !destination.equals(DestinationConfig.LOCAL))
                .forEach(destination -> properties.put("outbox.destinations." + destination + ".jndi", "jms/any"));
        OutboxProperties keys = new OutboxProperties(
                OutboxConfig.DEFAULT_OUTBOX, key -> Optional.ofNullable(properties.get(key)), properties.keySet());
        return new ConfigReader(keys, "test", handlers(type)).read();
    }

    /** Without a container, nobody knows the handlers of an event for handlers alone. */
    private Map<String, List<String>> handlers(EventType type) {
        if (handlers != null) {
            return handlers.apply(type.outbox());
        }
        return type.destinations().contains(DestinationConfig.LOCAL)
                ? Map.of("handlers", List.of(type.name()))
                : Map.of();
    }

    /** The payload without JSON-B: the event's toString(). */
    private static final class EventText implements OutboxSerializer {
        @Override
        public String contentType(Object event) {
            return "text/plain";
        }

        @Override
        public OutboxPayload serialize(Object event) {
            return OutboxPayload.text(event.toString());
        }
    }
}
