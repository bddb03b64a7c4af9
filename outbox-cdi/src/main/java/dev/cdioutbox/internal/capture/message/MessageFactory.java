package dev.cdioutbox.internal.capture.message;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventValidation;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.UuidV7;
import dev.cdioutbox.spi.OutboxSerializer;

/**
 * Creates the messages of an event, one for each destination of its route and for each handler of its type: validates the event,
 * reads its key, collects the metadata, and serializes the event. Refuses what a destination could not send.
 */
public final class MessageFactory {
    private final OutboxConfig config;
    private final EventValidation validator;
    private final BodyFactory bodies;
    private final DestinationRules rules;
    private final List<MetadataSource> sources;

    /** @param sources called in this order; a later one may override an earlier one */
    public MessageFactory(
            OutboxConfig config, EventValidation validator, OutboxSerializer serializer, List<MetadataSource> sources) {
        this.config = config;
        this.validator = validator;
        this.rules = new DestinationRules(config);
        this.bodies = new BodyFactory(serializer, config.capture().maxPayloadBytes());
        this.sources = List.copyOf(sources);
    }

    public List<NewMessage> messages(EventType type, Object event) {
        List<String> ofType = destinations(type);
        validator.validate(event);
        EventMetadata metadata = new EventMetadata(event.getClass().getName(), type.event(event), ofType);
        sources.forEach(source -> source.describe(event, metadata));
        List<String> destinations = rules.receivers(type, rules.known(type, metadata.destinations()));
        rules.requireTerms(event, metadata.terms(), destinations);
        Body body = bodies.body(event, metadata.headers());
        rules.requireRoom(event, body, destinations);
        Instant now = Instant.now();
        UUID id = UuidV7.next(now.toEpochMilli());
        return destinations.stream()
                .map(destination -> new NewMessage(
                        UuidV7.within(id, destination),
                        metadata.event(),
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
     * Checks that an event of this type could be stored.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0112, OBX-0133 or OBX-0134 if it would have no destination or a wrong one
     */
    public void require(EventType type) {
        rules.receivers(type, destinations(type));
    }

    /** The destinations of a type without its handlers. */
    private List<String> destinations(EventType type) {
        return rules.known(type, type.destinations().isEmpty() ? config.route(type.name()) : type.destinations());
    }
}
