package dev.cdioutbox.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * What travels with an event beside its payload. Belongs to one event and one thread.
 *
 * <p>Before the enrichers are asked it holds what the platform knows: with MicroProfile Telemetry the trace context, and
 * the trace id as correlation id; while a message is handled by a message-driven bean, that message's id as causation id,
 * and its correlation and tenant id.
 *
 * <p>Every setter refuses what could not be stored or sent with an {@link dev.cdioutbox.OutboxException} (OBX-0114).
 */
public interface OutboxMetadata {

    /**
     * The event type as it will be stored.
     *
     * @return never null
     */
    String eventType();

    /**
     * The ordering key.
     *
     * @return null if the event has none
     */
    String key();

    /**
     * The headers set so far.
     *
     * @return an unmodifiable copy; never null
     */
    Map<String, String> headers();

    /**
     * The correlation id set so far.
     *
     * @return null for none
     */
    String correlationId();

    /**
     * The causation id set so far.
     *
     * @return null for none
     */
    String causationId();

    /**
     * The tenant id set so far.
     *
     * @return null for none
     */
    String tenantId();

    /**
     * Sets a header, for internal destinations only.
     *
     * @param name what JMS allows for a property: a Java identifier, not beginning with {@code JMS}, no word of the
     *     selector language, and none of the properties that the outbox sets itself; not null
     * @param value at most 32,768 characters; null takes the header away
     * @return this
     */
    OutboxMetadata header(String name, String value);

    /**
     * Sets a header that strangers may see too: it also goes to destinations that are configured as external.
     *
     * @param name as for {@link #header}
     * @param value as for {@link #header}
     * @return this
     */
    OutboxMetadata externalHeader(String name, String value);

    /**
     * Ties together all that one request caused.
     *
     * @param id at most 255 characters, or null for none
     * @return this
     */
    OutboxMetadata correlationId(String id);

    /**
     * Names what caused this event.
     *
     * @param id at most 255 characters, or null for none
     * @return this
     */
    OutboxMetadata causationId(String id);

    /**
     * Names the tenant.
     *
     * @param id at most 255 characters, or null for none
     * @return this
     */
    OutboxMetadata tenantId(String id);

    /**
     * Delays the message. It leaves its key's order: later messages of the key do not wait for it. It is sent within a
     * second or {@code outbox.dispatcher.interval} of that moment, whichever is longer.
     *
     * @param moment not to be sent before, by the database's clock, between the years 1970 and 9999; null for at once
     * @return this
     */
    OutboxMetadata deliverNotBefore(Instant moment);

    /**
     * Limits how long the message is of use. What is not sent by then is not sent at all and becomes
     * {@link dev.cdioutbox.OutboxStatus#EXPIRED}; what is sent carries the rest of the time as its JMS time to live.
     *
     * @param time from the commit, or from the moment it is delayed to; positive, at most 3650 days; null for ever
     * @return this
     */
    OutboxMetadata timeToLive(Duration time);

    /**
     * Sets the JMS priority. The broker may then change the order of messages that wait in it.
     *
     * @param priority 0 (lowest) to 9
     * @return this
     */
    OutboxMetadata priority(int priority);
}
