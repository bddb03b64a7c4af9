package dev.cdioutbox.internal.capture.event;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.spi.OutboxMetadata;

/**
 * The metadata of one event: headers, ids, delay, time to live and priority. Each setter refuses a value that the
 * outbox could not store or send, as {@link MetadataRules} decide.
 */
public final class EventMetadata implements OutboxMetadata {
    private final String eventClass;
    private Event event;
    private final Map<String, String> headers = new TreeMap<>();
    private final Map<String, String> external = new TreeMap<>();
    private String correlationId;
    private String causationId;
    private String tenantId;
    private Instant notBefore;
    private Duration timeToLive;
    private Integer priority;
    private List<String> destinations;

    /** @param destinations those of the event's type */
    public EventMetadata(String eventClass, Event event, List<String> destinations) {
        this.eventClass = eventClass;
        this.event = event;
        this.destinations = destinations;
    }

    /** The whole context, for internal destinations. */
    public Context context() {
        return new Context(correlationId, causationId, tenantId, headers);
    }

    /** The part of the context for external destinations. */
    public Context externalContext() {
        return new Context(null, null, null, external, true);
    }

    /** The type and key, and the aggregate's id as it was set. */
    public Event event() {
        return event;
    }

    public Terms terms() {
        return notBefore == null && timeToLive == null && priority == null
                ? Terms.NONE
                : new Terms(notBefore, timeToLive, priority);
    }

    /**
     * Sets or removes a header of W3C Trace Context. The checks for names do not apply: they reserve these names for the
     * outbox. Removes a header that does not fit, since it may be foreign, and a bad trace must not fail the work.
     */
    public void trace(String name, String value) {
        set(headers, name, MetadataRules.isTrace(value) ? value : null);
    }

    /** Sets how many messages are in the chain of causes, with this one. The outbox reserves the name. */
    public void generation(int number) {
        set(headers, CausingMessage.GENERATION, String.valueOf(number));
    }

    @Override
    public String eventType() {
        return event.type();
    }

    @Override
    public String key() {
        return event.key();
    }

    @Override
    public String aggregateId() {
        return event.aggregateId();
    }

    @Override
    public Map<String, String> headers() {
        return Map.copyOf(headers);
    }

    @Override
    public String correlationId() {
        return correlationId;
    }

    @Override
    public String causationId() {
        return causationId;
    }

    @Override
    public String tenantId() {
        return tenantId;
    }

    @Override
    public Instant deliverNotBefore() {
        return notBefore;
    }

    @Override
    public Duration timeToLive() {
        return timeToLive;
    }

    @Override
    public Integer priority() {
        return priority;
    }

    @Override
    public List<String> destinations() {
        return destinations;
    }

    @Override
    public OutboxMetadata destinations(String... names) {
        require(MetadataRules.problemOfDestinations(names));
        destinations = Stream.of(names).distinct().toList();
        return this;
    }

    @Override
    public OutboxMetadata header(String name, String value) {
        return header(name, value, null);
    }

    @Override
    public OutboxMetadata externalHeader(String name, String value) {
        return header(name, value, value);
    }

    private OutboxMetadata header(String name, String value, String forExternal) {
        require(MetadataRules.problemOfHeader(name, value));
        set(headers, name, value);
        set(external, name, forExternal);
        return this;
    }

    private static void set(Map<String, String> values, String name, String value) {
        if (value == null) {
            values.remove(name);
        } else {
            values.put(name, value);
        }
    }

    @Override
    public OutboxMetadata aggregateId(String id) {
        require(MetadataRules.problemOfId("its aggregate id", id));
        event = new Event(event.type(), event.version(), event.aggregateType(), event.key(), id);
        return this;
    }

    @Override
    public OutboxMetadata correlationId(String id) {
        require(MetadataRules.problemOfCorrelationId(id));
        correlationId = id;
        return this;
    }

    @Override
    public OutboxMetadata causationId(String id) {
        require(MetadataRules.problemOfId("its causation id", id));
        causationId = id;
        return this;
    }

    @Override
    public OutboxMetadata tenantId(String id) {
        require(MetadataRules.problemOfId("its tenant id", id));
        tenantId = id;
        return this;
    }

    @Override
    public OutboxMetadata deliverNotBefore(Instant moment) {
        require(MetadataRules.problemOfDelay(moment));
        notBefore = moment;
        return this;
    }

    @Override
    public OutboxMetadata timeToLive(Duration time) {
        require(MetadataRules.problemOfTimeToLive(time));
        timeToLive = time;
        return this;
    }

    @Override
    public OutboxMetadata priority(int priority) {
        require(MetadataRules.problemOfPriority(priority));
        this.priority = priority;
        return this;
    }

    private void require(String problem) {
        if (problem != null) {
            throw OutboxCode.BAD_METADATA.exception(eventClass, problem);
        }
    }
}
