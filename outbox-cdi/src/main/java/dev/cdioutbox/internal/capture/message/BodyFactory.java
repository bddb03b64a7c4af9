package dev.cdioutbox.internal.capture.message;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.capture.event.StorableText;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.spi.OutboxSerializer;

/** Serializes events. Refuses a payload or content type that the database could not store, and bodies over the limit. */
final class BodyFactory {
    private static final int MAX_CONTENT_TYPE = 100;

    /** Of what consumers would read as text. */
    private static final Pattern TEXT_TYPE =
            Pattern.compile("(?is)\\s*(text/.*|application/(json|xml)\\b.*|[^;]*\\+(json|xml)\\b.*|.*;\\s*charset=.*)");

    private final OutboxSerializer serializer;
    private final int maxBytes;

    /** @param maxBytes of a payload with its headers */
    BodyFactory(OutboxSerializer serializer, int maxBytes) {
        this.serializer = serializer;
        this.maxBytes = maxBytes;
    }

    /** @param headers count towards the size limit, since the outbox stores and sends them with the payload */
    Body body(Object event, Map<String, String> headers) {
        OutboxPayload payload = serialize(event);
        int bytes = payload.size();
        long all = bytes;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            all += bytes(header.getKey()) + bytes(header.getValue());
        }
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
            requireStorable(event, "the text", payload.text());
        }
        return payload;
    }

    private void requireStorable(Object event, String what, String text) {
        String wrong = StorableText.problem(text);
        if (wrong != null) {
            throw unusable(event, what + " " + wrong);
        }
    }

    private String contentType(Object event, OutboxPayload payload) {
        String contentType = serializer.contentType(event);
        if (contentType == null || contentType.isBlank() || contentType.length() > MAX_CONTENT_TYPE) {
            throw unusable(event, "a content type has 1 to " + MAX_CONTENT_TYPE + " characters");
        }
        requireStorable(event, "the content type", contentType);
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
