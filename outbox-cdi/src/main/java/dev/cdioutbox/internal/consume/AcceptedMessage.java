package dev.cdioutbox.internal.consume;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.capture.event.MetadataRules;
import dev.cdioutbox.internal.capture.event.StorableText;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.UuidV7;

/** What is stored of a received message. */
record AcceptedMessage(String handler, ConsumedMessage received, ReceivedJsonEvent event) {
    private static final int MAX_CONTENT_TYPE = 100;

    /**
     * The message for a handler, with an id that is the same for each copy.
     *
     * @throws OutboxException OBX-0471 if the tables cannot hold it, OBX-0512 if its version is no number
     */
    static NewMessage of(String application, String handler, ConsumedMessage received, ReceivedJsonEvent event) {
        return new AcceptedMessage(handler, received, event).message(application);
    }

    private NewMessage message(String application) {
        return new NewMessage(
                UuidV7.received(application, handler, received.id()),
                described(),
                body(),
                context(),
                Terms.NONE,
                handler,
                Objects.requireNonNullElseGet(
                        ConsumerRules.timeOrNull(event.headers().get("occurredAt")), Instant::now));
    }

    private Event described() {
        if (event.type() == null || event.type().isEmpty()) {
            throw refusal("it has no event type");
        }
        return new Event(
                id("its event type", event.type()),
                event.version(),
                id("its aggregate type", event.headers().get("aggregateType")),
                id("its key", event.key()),
                id("its aggregate id", event.aggregateId()));
    }

    private Body body() {
        OutboxPayload payload = event.payload();
        if (!payload.isBinary()) {
            storable("its text", payload.text());
        }
        String unnamed = payload.isBinary() ? "application/octet-stream" : "application/json";
        String contentType = Objects.requireNonNullElse(event.contentType(), unnamed);
        if (contentType.length() > MAX_CONTENT_TYPE) {
            throw refusal("its content type has more than " + MAX_CONTENT_TYPE + " characters");
        }
        return new Body(storable("its content type", contentType), payload);
    }

    private Context context() {
        Map<String, String> headers = new TreeMap<>();
        event.headers().forEach((name, value) -> {
            if (MetadataRules.isPassedOn(name)) {
                headers.put(name, storable("its property " + name, value));
            }
        });
        return new Context(
                MetadataRules.correlationIdOrNull(received.correlationId()),
                received.id(),
                id("its tenant", event.tenantId()),
                headers);
    }

    private String id(String what, String text) {
        String problem = text == null ? null : ConsumerRules.idProblem(text);
        if (problem != null) {
            throw refusal(what + " " + problem);
        }
        return text;
    }

    private String storable(String what, String text) {
        String problem = StorableText.problem(text);
        if (problem != null) {
            throw refusal(what + " " + problem);
        }
        return text;
    }

    private OutboxException refusal(String why) {
        return OutboxCode.NOT_ACCEPTED.exception(received.id(), handler, why);
    }
}
