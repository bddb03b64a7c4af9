package dev.cdioutbox.internal.capture.event;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.spi.OutboxMetadata;

/**
 * The metadata of one event: headers, ids, delay, time to live and priority. Each setter refuses a value that the
 * outbox could not store or send.
 */
public final class EventMetadata implements OutboxMetadata {
    /** In characters. */
    public static final int MAX_ID = 255;

    private static final int MAX_HEADER = 32_768;
    private static final Pattern MESSAGE_ID = Pattern.compile("ID:([0-9a-fA-F]{2})*");

    /** Every system has to pass on a tracestate of 512 characters (W3C Trace Context, level 2, 3.3.1.5). */
    private static final Pattern TRACE = Pattern.compile("[\\x21-\\x7e][\\x20-\\x7e\\t]{0,511}");

    private static final Duration MAX_TIME_TO_LIVE = Duration.ofDays(3650);
    private static final Instant FIRST_MOMENT = Instant.EPOCH;
    private static final Instant LAST_MOMENT = Instant.parse("9999-12-31T00:00:00Z");

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
        set(headers, name, value != null && TRACE.matcher(value).matches() ? value : null);
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
        if (names.length == 0) {
            throw refused("it would be sent to no destination");
        }
        if (Arrays.asList(names).contains(null)) {
            throw refused("a destination is null");
        }
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
        String wrong = HeaderNames.problem(name);
        if (wrong != null) {
            throw refused("the header '" + name + "' " + wrong);
        }
        set(headers, name, checked("the header '" + name + "'", value, MAX_HEADER));
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
        event = new Event(
                event.type(),
                event.version(),
                event.aggregateType(),
                event.key(),
                checked("its aggregate id", id, MAX_ID));
        return this;
    }

    @Override
    public OutboxMetadata correlationId(String id) {
        if (!isCorrelationId(id)) {
            throw refused("its correlation id '" + id + "' begins with ID:, which JMS keeps for the ids of messages");
        }
        correlationId = checked("its correlation id", id, MAX_ID);
        return this;
    }

    @Override
    public OutboxMetadata causationId(String id) {
        causationId = checked("its causation id", id, MAX_ID);
        return this;
    }

    @Override
    public OutboxMetadata tenantId(String id) {
        tenantId = checked("its tenant id", id, MAX_ID);
        return this;
    }

    /**
     * Whether JMS sends a correlation id: one that begins with ID: must be the id of a message (Jakarta Messaging 3.1,
     * 3.4.3).
     */
    public static boolean isCorrelationId(String id) {
        return id == null || !id.startsWith("ID:") || MESSAGE_ID.matcher(id).matches();
    }

    private String checked(String what, String text, int longest) {
        if (text != null && text.length() > longest) {
            throw refused("%s has %s characters; at most %s are allowed".formatted(what, text.length(), longest));
        }
        String wrong = text == null ? null : TextCheck.problem(text);
        if (wrong != null) {
            throw refused(what + " " + wrong);
        }
        return text;
    }

    @Override
    public OutboxMetadata deliverNotBefore(Instant moment) {
        if (moment != null && (moment.isBefore(FIRST_MOMENT) || moment.isAfter(LAST_MOMENT))) {
            throw refused("deliver-not-before is " + moment + ", which databases cannot keep");
        }
        notBefore = moment;
        return this;
    }

    @Override
    public OutboxMetadata timeToLive(Duration time) {
        if (time != null && (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(MAX_TIME_TO_LIVE) > 0)) {
            throw refused("its time to live is " + time + "; allowed is a millisecond to " + MAX_TIME_TO_LIVE);
        }
        timeToLive = time;
        return this;
    }

    @Override
    public OutboxMetadata priority(int priority) {
        if (priority < 0 || priority > 9) {
            throw refused("its priority is " + priority + "; allowed is 0 to 9");
        }
        this.priority = priority;
        return this;
    }

    private RuntimeException refused(String what) {
        return OutboxCode.BAD_METADATA.exception(eventClass, what);
    }
}
