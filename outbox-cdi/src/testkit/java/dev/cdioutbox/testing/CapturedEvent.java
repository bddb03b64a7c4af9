package dev.cdioutbox.testing;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import org.jspecify.annotations.Nullable;

/** A captured event, with the data that the outbox would store. Immutable, except the event itself. */
public interface CapturedEvent {

    /** {@return the object that was fired; not null} */
    Object event();

    /** {@return the type, the version, the aggregate type and the key; not null} */
    OutboxMessage.Event description();

    /** {@return the payload; not null. Without an implementation of JSON-B on the class path, it is the event's {@code toString()}} */
    OutboxMessage.Body body();

    /** {@return the ids and headers that enrichers set; not null} */
    OutboxMessage.Context context();

    /** {@return the names on the event class, or {@code default}, since the kit does not read routes; and the handlers; not empty} */
    List<String> destinations();

    /** {@return the ordering key as text; null if the event has none} */
    default @Nullable String key() {
        return description().key();
    }

    /** {@return the tenant id that an enricher set, or null} */
    default @Nullable String tenantId() {
        return context().tenantId();
    }

    /** {@return the further headers that enrichers set: an unmodifiable map, values by name; never null} */
    default Map<String, String> headers() {
        return context().headers();
    }
}
