package dev.cdioutbox.testing;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.cdioutbox.OutboxMessage;

/**
 * A captured event, with the data that the outbox would store. Immutable, except the event itself.
 *
 * @param event the object that was fired; not null
 * @param header the type, the version, the aggregate type and the key; not null
 * @param body the payload; not null. Without JSON-B on the class path, it is the event's {@code toString()}
 * @param context the ids and headers that enrichers set; not null
 * @param destinations the names on the event class, or {@code default}, since the kit does not read routes; not empty
 */
public record CapturedEvent(
        Object event,
        OutboxMessage.Event header,
        OutboxMessage.Body body,
        OutboxMessage.Context context,
        List<String> destinations) {

    /** Refuses nulls, and keeps an unmodifiable copy of the destinations. */
    public CapturedEvent {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(header, "header");
        Objects.requireNonNull(body, "body");
        Objects.requireNonNull(context, "context");
        destinations = List.copyOf(destinations);
    }

    /**
     * The ordering key.
     *
     * @return the key as text; null if the event has none
     */
    public String key() {
        return header.key();
    }

    /**
     * The tenant that an enricher set.
     *
     * @return the tenant id; null if none was set
     */
    public String tenantId() {
        return context.tenantId();
    }

    /**
     * The further headers that enrichers set.
     *
     * @return an unmodifiable map, values by name; never null
     */
    public Map<String, String> headers() {
        return context.headers();
    }

    @Override
    public String toString() {
        return event + " with key " + key();
    }
}
