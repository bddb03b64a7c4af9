package dev.cdioutbox.internal.capture.message;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventValidator;
import dev.cdioutbox.internal.capture.event.TextCheck;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.UuidV7;
import dev.cdioutbox.spi.OutboxSerializer;

/**
 * Creates the messages of an event, one for each destination of its route: reads the key, collects the metadata,
 * serializes the event. Refuses events that the database could not store, and bodies over the limit.
 */
public final class MessageFactory {
    private static final int MAX_CONTENT_TYPE = 100;

    /** Of what consumers would read as text. */
    private static final Pattern TEXT_TYPE =
            Pattern.compile("(?is)\\s*(text/.*|application/(json|xml)\\b.*|[^;]*\\+(json|xml)\\b.*|.*;\\s*charset=.*)");

    private final OutboxConfig config;
    private final EventValidator validator;
    private final OutboxSerializer serializer;
    private final List<MetadataSource> sources;

    /** @param sources called in this order; a later one may override an earlier one */
    public MessageFactory(
            OutboxConfig config, EventValidator validator, OutboxSerializer serializer, List<MetadataSource> sources) {
        this.config = config;
        this.validator = validator;
        this.serializer = serializer;
        this.sources = List.copyOf(sources);
    }

    public List<NewMessage> messages(EventType type, Object event) {
        List<String> ofType = destinations(type);
        validator.validate(event);
        Event read = new Event(
                type.name(),
                type.version(),
                type.aggregateType(),
                type.key() == null ? null : type.key().read(event),
                type.aggregateId() == null ? null : type.aggregateId().read(event));
        EventMetadata metadata = new EventMetadata(event.getClass().getName(), read, ofType);
        sources.forEach(source -> source.describe(event, metadata));
        List<String> destinations = known(type, metadata.destinations());
        requireLogTerms(event, metadata.terms(), destinations);
        Body body = body(event, metadata.headers());
        requireRoomInLog(event, body, destinations);
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

    /** What is committed is in the database's log, whose reader neither waits nor looks at the clock. */
    private void requireLogTerms(Object event, NewMessage.Terms terms, List<String> destinations) {
        if (terms.notBefore() == null && terms.timeToLive() == null) {
            return;
        }
        destinations.stream()
                .filter(name -> config.destinations().get(name).isCdc())
                .findFirst()
                .ifPresent(name -> {
                    throw OutboxCode.CDC_TERMS.exception(
                            event.getClass().getName(), name, terms.notBefore() == null ? "let it expire" : "delay it");
                });
    }

    private void requireRoomInLog(Object event, Body body, List<String> destinations) {
        for (String name : destinations) {
            long limit = config.messagingLimit(name);
            if (body.bytes() > limit) {
                throw OutboxCode.LIBERTY_LOG_TOO_SMALL.exception(
                        "event " + event.getClass().getName(), body.bytes(), limit);
            }
        }
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
        return known(type, type.destinations().isEmpty() ? config.route(type.name()) : type.destinations());
    }

    private List<String> known(EventType type, List<String> names) {
        for (String name : names) {
            if (!config.destinations().containsKey(name)) {
                throw OutboxCode.UNKNOWN_DESTINATION.exception(
                        type.eventClass().getName(),
                        name,
                        name,
                        new TreeSet<>(config.destinations().keySet()));
            }
        }
        return names;
    }

    /** @param headers count towards the size limit, since the outbox stores and sends them with the payload */
    Body body(Object event, Map<String, String> headers) {
        OutboxPayload payload = serialize(event);
        int bytes = payload.size();
        long all = bytes;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            all += bytes(header.getKey()) + bytes(header.getValue());
        }
        int maxBytes = config.capture().maxPayloadBytes();
        if (all > maxBytes) {
            throw OutboxCode.PAYLOAD_TOO_LARGE.exception(event.getClass().getName(), all, maxBytes);
        }
        return new Body(contentType(event, payload), payload, bytes);
    }

    private OutboxPayload serialize(Object event) {
        OutboxPayload payload;
        try {
            payload = serializer.serialize(event);
        } catch (OutOfMemoryError | OutboxException e) {
            throw e;
        } catch (Exception | Error e) {
            String why = e instanceof StackOverflowError
                    ? "it is nested too deeply, or contains itself"
                    : FailureReason.of(e);
            throw OutboxCode.NOT_SERIALIZABLE.exception(
                    e, event.getClass().getName(), serializer.contentType(event), why);
        }
        if (payload == null || payload.isErased()) {
            throw unusable(event, "the serializer returned " + (payload == null ? "null" : "no payload"));
        }
        if (!payload.isBinary()) {
            requireText(event, "the text", payload.text());
        }
        return payload;
    }

    private void requireText(Object event, String what, String text) {
        String wrong = TextCheck.problem(text);
        if (wrong != null) {
            throw unusable(event, what + " " + wrong);
        }
    }

    private String contentType(Object event, OutboxPayload payload) {
        String contentType = serializer.contentType(event);
        if (contentType == null || contentType.isBlank() || contentType.length() > MAX_CONTENT_TYPE) {
            throw unusable(event, "a content type has 1 to " + MAX_CONTENT_TYPE + " characters");
        }
        requireText(event, "the content type", contentType);
        if (payload.isBinary() && TEXT_TYPE.matcher(contentType).matches()) {
            throw OutboxCode.BYTES_NAMED_TEXT.exception(event.getClass().getName(), contentType);
        }
        return contentType;
    }

    private RuntimeException unusable(Object event, String why) {
        return OutboxCode.NOT_SERIALIZABLE.exception(event.getClass().getName(), serializer.contentType(event), why);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
