package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.spi.JsonbProvider;

import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.capture.event.EventValidator;
import dev.cdioutbox.internal.capture.message.JsonbSerializer;
import dev.cdioutbox.internal.capture.message.MessageFactory;
import dev.cdioutbox.internal.config.ConfigReader;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.OutboxKeys;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.OutboxSerializer;

/**
 * Captures events for a test without a server: creates the same messages as {@link Capture}, and passes them to a
 * recorder. Without configuration, transaction and tables, each event counts at {@code fire()}. Thread-safe.
 */
public final class RecordedCapture implements FiredEvents {
    private final EventTypes types;
    private final EventRecorder recorder;
    private final Function<OutboxConfig, MessageFactory> factories;

    RecordedCapture(EventTypes types, EventRecorder recorder, Function<OutboxConfig, MessageFactory> factories) {
        this.types = types;
        this.recorder = recorder;
        this.factories = factories;
    }

    /** For a test without a CDI container: without validation and enrichers. */
    public static RecordedCapture withoutContainer(EventRecorder recorder) {
        OutboxSerializer serializer = serializer(() -> new JsonbSerializer(JsonbBuilder.create()));
        return new RecordedCapture(
                new EventTypes(),
                recorder,
                config -> new MessageFactory(config, EventValidator.NONE, serializer, List.of()));
    }

    /** Serializes as on a server if the class path has JSON-B, so that an unserializable event fails its test. */
    static OutboxSerializer serializer(Supplier<OutboxSerializer> jsonb) {
        return ServiceLoader.load(JsonbProvider.class).findFirst().isPresent() ? jsonb.get() : new EventText();
    }

    @Override
    public void capture(Object event, Set<Annotation> qualifiers) {
        Optional<EventType> found = types.of(event, qualifiers);
        found.ifPresent(
                type -> recorder.record(event, factories.apply(config(type)).messages(type, event)));
    }

    /**
     * Refuses an outbox event fired with {@code fireAsync}.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0102 for an outbox event
     */
    public void refuseAsync(Object event, Set<Annotation> qualifiers) {
        if (types.of(event, qualifiers).isPresent()) {
            throw Problem.FIRED_ASYNC.exception(event.getClass().getName());
        }
    }

    /** Configures each destination that the event class names; only a deployment checks these names. */
    private static OutboxConfig config(EventType type) {
        Map<String, String> properties = new TreeMap<>();
        type.destinations()
                .forEach(destination -> properties.put("outbox.destinations." + destination + ".jndi", "jms/any"));
        OutboxKeys keys = new OutboxKeys(
                OutboxKeys.DEFAULT_OUTBOX, key -> Optional.ofNullable(properties.get(key)), properties.keySet());
        return new ConfigReader(keys, "test").read();
    }

    /** The payload without JSON-B: the event's toString(). */
    private static final class EventText implements OutboxSerializer {
        @Override
        public String contentType() {
            return "text/plain";
        }

        @Override
        public String serialize(Object event) {
            return event.toString();
        }
    }
}
