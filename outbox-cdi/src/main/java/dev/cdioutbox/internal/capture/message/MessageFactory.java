package dev.cdioutbox.internal.capture.message;

import java.time.Instant;
import java.util.List;
import java.util.TreeSet;

import dev.cdioutbox.OutboxMessage.Body;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxMessage.Event;
import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventValidator;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.spi.OutboxSerializer;

/** Creates the messages of an event, one for each destination. Reports every problem of an event. */
public final class MessageFactory {
    private final OutboxConfig config;
    private final EventValidator validator;
    private final BodySerializer bodies;
    private final List<MetadataSource> sources;

    /** @param sources called in this order; a later one may override an earlier one */
    public MessageFactory(
            OutboxConfig config, EventValidator validator, OutboxSerializer serializer, List<MetadataSource> sources) {
        this.config = config;
        this.validator = validator;
        this.bodies = new BodySerializer(serializer, config.capture().maxPayloadBytes());
        this.sources = List.copyOf(sources);
    }

    public List<NewMessage> messages(EventType type, Object event) {
        List<String> destinations = destinations(type);
        validator.validate(event);
        Event header = new Event(
                type.name(),
                type.version(),
                type.aggregateType(),
                type.key() == null ? null : type.key().read(event));
        EventMetadata metadata = new EventMetadata(event.getClass().getName(), header);
        sources.forEach(source -> source.describe(event, metadata));
        Body body = bodies.body(event, metadata.headers());
        Instant now = Instant.now();
        return destinations.stream()
                .map(destination -> new NewMessage(
                        UuidV7.next(now.toEpochMilli()),
                        header,
                        body,
                        context(destination, metadata),
                        metadata.terms(),
                        destination,
                        now))
                .toList();
    }

    /** Strips the row of an external destination, so that no later step can disclose internal headers. */
    private Context context(String destination, EventMetadata metadata) {
        DestinationConfig target = config.destinations().get(destination);
        return target.external() ? metadata.externalContext() : metadata.context();
    }

    /**
     * The destinations of a type.
     *
     * @throws dev.cdioutbox.OutboxException if a name is not configured
     */
    public List<String> destinations(EventType type) {
        List<String> names = type.destinations().isEmpty() ? config.route(type.name()) : type.destinations();
        for (String name : names) {
            if (!config.destinations().containsKey(name)) {
                throw Problem.UNKNOWN_DESTINATION.exception(
                        type.eventClass().getName(),
                        name,
                        name,
                        new TreeSet<>(config.destinations().keySet()));
            }
        }
        return names;
    }
}
