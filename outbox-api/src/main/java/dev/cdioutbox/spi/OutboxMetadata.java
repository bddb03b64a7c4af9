package dev.cdioutbox.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The metadata of an event: the data that the message carries beside the payload. Belongs to one event; not
 * thread-safe.
 *
 * <p>The outbox sets some values before it calls the enrichers. With MicroProfile Telemetry: the trace context, and the
 * trace id as correlation id. In a message-driven bean that handles a message: that message's id as causation id, and
 * its correlation and tenant id.
 *
 * <p>Every setter throws an {@link dev.cdioutbox.EventRefusedException} (OBX-0114) for a value that the outbox could not
 * store or send.
 *
 * <p>The outbox implements this interface. Later versions may add methods, so an application should implement it in its
 * tests only.
 */
public interface OutboxMetadata {

    /** {@return the event type that the outbox will store; never null} */
    String eventType();

    /** {@return the ordering key; null if the event has none} */
    @Nullable
    String key();

    /**
     * {@return the aggregate's id set so far: that of {@link dev.cdioutbox.OutboxAggregateId}, or else the key; null if
     * the event has neither}
     */
    @Nullable
    String aggregateId();

    /** {@return the headers set so far: an unmodifiable copy; never null} */
    Map<String, String> headers();

    /** {@return the correlation id set so far, or null} */
    @Nullable
    String correlationId();

    /** {@return the causation id set so far, or null} */
    @Nullable
    String causationId();

    /** {@return the tenant id set so far, or null} */
    @Nullable
    String tenantId();

    /** {@return the end of the delay set so far, or null} */
    @Nullable
    Instant deliverNotBefore();

    /** {@return the time to live set so far, or null} */
    @Nullable
    Duration timeToLive();

    /** {@return the priority set so far, or null} */
    @Nullable
    Integer priority();

    /** {@return the destinations: those of the annotation or route, unless an enricher has set others; not null or empty} */
    List<String> destinations();

    /**
     * Sends the event to these destinations in place of those of its annotation or route: to route by content or tenant.
     * The order of a key holds within each destination.
     *
     * <pre>{@code
     * metadata.destinations("acme".equals(metadata.tenantId()) ? "acme" : "shared");
     * }</pre>
     *
     * @param names at least one; each is the name of a configured destination, or {@code fire()} fails with an
     *     {@link dev.cdioutbox.OutboxException} (OBX-0112)
     * @return this
     */
    OutboxMetadata destinations(String... names);

    /**
     * Sets a header, for internal destinations only.
     *
     * @param name a valid name of a JMS property: a Java identifier that does not begin with {@code JMS} and is no
     *     keyword of the selector language, without control and zero-width characters. The properties that the outbox
     *     sets are reserved. Not null
     * @param value at most 32,768 characters; null removes the header
     * @return this
     */
    OutboxMetadata header(String name, @Nullable String value);

    /**
     * Sets a header that external destinations ({@code outbox.destinations.<name>.external}) get too.
     *
     * @param name as for {@link #header}
     * @param value as for {@link #header}
     * @return this
     */
    OutboxMetadata externalHeader(String name, @Nullable String value);

    /**
     * Sets the id of the thing that the event is about, where it is not the ordering key.
     *
     * @param id at most 255 characters, or null for the key
     * @return this
     */
    OutboxMetadata aggregateId(@Nullable String id);

    /**
     * Sets the correlation id, which all messages caused by one request share.
     *
     * @param id at most 255 characters, or null for none
     * @return this
     */
    OutboxMetadata correlationId(@Nullable String id);

    /**
     * Sets the causation id: the id of the message that caused this event.
     *
     * @param id at most 255 characters, or null for none
     * @return this
     */
    OutboxMetadata causationId(@Nullable String id);

    /**
     * Sets the tenant id.
     *
     * @param id at most 255 characters, or null for none
     * @return this
     */
    OutboxMetadata tenantId(@Nullable String id);

    /**
     * Delays the message. A delayed message leaves its key's order: later messages of the key do not wait for it. The
     * outbox sends it right after that moment, or, if its node has stopped, with a poll of another node: up to one and a
     * half {@code outbox.dispatcher.interval} later.
     *
     * <pre>{@code
     * metadata.deliverNotBefore(Instant.now().plus(Duration.ofMinutes(10)));
     * }</pre>
     *
     * @param moment the earliest time of the send, by the database's clock, in the years 1970 to 9999; null for at once
     * @return this
     */
    OutboxMetadata deliverNotBefore(@Nullable Instant moment);

    /**
     * Sets the time to live. The outbox does not send an expired message; its status becomes
     * {@link dev.cdioutbox.OutboxStatus#EXPIRED}. A message that is sent carries the rest of the time as its JMS time
     * to live.
     *
     * @param time the time from the insert, or from the end of the delay; positive, at most 3650 days; null for ever
     * @return this
     */
    OutboxMetadata timeToLive(@Nullable Duration time);

    /**
     * Sets the JMS priority. The broker may then change the order of its waiting messages.
     *
     * @param priority 0 (lowest) to 9
     * @return this
     */
    OutboxMetadata priority(int priority);
}
