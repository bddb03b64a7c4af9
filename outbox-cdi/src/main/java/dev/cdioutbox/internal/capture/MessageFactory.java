package dev.cdioutbox.internal.capture;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxMessage.Body;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxMessage.Event;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.spi.OutboxSerializer;

/** Makes messages of an event, one for each destination. Everything that can be wrong with an event is found here. */
final class MessageFactory {
    private final OutboxConfig config;
    private final OutboxSerializer serializer;

    MessageFactory(OutboxConfig config, OutboxSerializer serializer) {
        this.config = config;
        this.serializer = serializer;
    }

    List<NewMessage> messages(EventType type, Object event) {
        Event header = new Event(
                type.name(),
                type.version(),
                type.aggregateType(),
                type.key() == null ? null : type.key().read(event));
        Body body = body(event);
        Instant now = Instant.now();
        return destinations(type).stream()
                .map(destination -> new NewMessage(
                        UuidV7.next(now.toEpochMilli()),
                        header,
                        body,
                        Context.NONE,
                        NewMessage.Terms.NONE,
                        destination,
                        now))
                .toList();
    }

    /** Where a type goes; a name that is not configured is refused. */
    List<String> destinations(EventType type) {
        List<String> names = type.destinations().isEmpty() ? config.route(type.name()) : type.destinations();
        for (String name : names) {
            if (!config.destinations().containsKey(name)) {
                throw Problem.UNKNOWN_DESTINATION.exception(
                        type.eventClass().getName(),
                        name,
                        name,
                        config.destinations().keySet());
            }
        }
        return names;
    }

    private Body body(Object event) {
        String text = serialize(event);
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        int most = config.capture().maxPayloadBytes();
        if (bytes > most) {
            throw Problem.PAYLOAD_TOO_LARGE.exception(event.getClass().getName(), bytes, most);
        }
        return new Body(serializer.contentType(), text, bytes);
    }

    private String serialize(Object event) {
        String text;
        try {
            text = serializer.serialize(event);
        } catch (Exception | StackOverflowError | LinkageError e) {
            throw Problem.NOT_SERIALIZABLE.exception(
                    e, event.getClass().getName(), serializer.contentType(), Problem.reason(e));
        }
        if (text == null) {
            throw Problem.NOT_SERIALIZABLE.exception(
                    event.getClass().getName(), serializer.contentType(), "the serializer returned null");
        }
        return text;
    }
}
