package dev.cdioutbox.internal.consume;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbException;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.transport.Envelope;

/** An event whose payload {@code as} reads as JSON. */
public record ReceivedJsonEvent(String type, Map<String, String> headers, OutboxPayload payload, Supplier<?> jsonb)
        implements ReceivedEvent {

    @Override
    public String id() {
        return headers.get("messageId");
    }

    @Override
    public int version() {
        return number("schemaVersion", Integer::valueOf).orElse(1);
    }

    @Override
    public String key() {
        return Envelope.key(headers.get(Envelope.KEY), aggregateId());
    }

    @Override
    public String aggregateId() {
        return headers.get("aggregateId");
    }

    @Override
    public OptionalLong sequence() {
        return number("sequence", Long::valueOf).map(OptionalLong::of).orElseGet(OptionalLong::empty);
    }

    @Override
    public String tenantId() {
        return headers.get("tenantId");
    }

    @Override
    public String contentType() {
        return headers.get("contentType");
    }

    @Override
    public String text() {
        if (payload.isBinary()) {
            throw OutboxCode.EVENT_BINARY.exception(id(), type, contentType());
        }
        return payload.text();
    }

    @Override
    public byte[] bytes() {
        return payload.toBytes();
    }

    private <T> Optional<T> number(String header, Function<String, T> parse) {
        try {
            return Optional.ofNullable(headers.get(header)).map(parse);
        } catch (NumberFormatException e) {
            throw OutboxCode.EVENT_UNREADABLE.exception(e, id(), type, "its " + header + " is no number, or too large");
        }
    }

    @Override
    public <T> T as(Class<T> as, int... versions) {
        OutboxEvent event = as.getAnnotation(OutboxEvent.class);
        String own = event == null || event.type().isEmpty() ? as.getSimpleName() : event.type();
        return as(own, as, versions.length > 0 || event == null ? versions : new int[] {event.version()});
    }

    @Override
    public <T> T as(String eventType, Class<T> as, int... versions) {
        int[] known = versions.length == 0 ? new int[] {1} : versions;
        int version = version();
        if (!eventType.equals(type) || Arrays.stream(known).noneMatch(v -> v == version)) {
            throw unexpected("%s is for %s, version %s".formatted(as.getName(), eventType, Arrays.toString(known)));
        }
        return parsed(as);
    }

    private <T> T parsed(Class<T> as) {
        String text = text();
        T read;
        try {
            read = text.isEmpty() ? null : ((Jsonb) jsonb.get()).fromJson(text, as);
        } catch (JsonbException e) {
            Throwable cause = UnreadableJson.of(e);
            throw OutboxCode.EVENT_UNREADABLE.exception(cause, id(), type, UnreadableJson.reason(e, as));
        }
        if (read == null) {
            throw OutboxCode.EVENT_UNREADABLE.exception(id(), type, "it has no payload");
        }
        return read;
    }

    @Override
    public OutboxException unexpected() {
        return unexpected("this consumer has no branch for it");
    }

    private OutboxException unexpected(String why) {
        return OutboxCode.EVENT_UNEXPECTED.exception(id(), type, version(), why);
    }

    /** Leaves the payload out, which must not get into logs. */
    @Override
    public String toString() {
        return "%s %s".formatted(type, id());
    }
}
