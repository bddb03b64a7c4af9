package dev.cdioutbox.internal.capture.message;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxMessage.Body;
import dev.cdioutbox.internal.capture.event.Texts;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.OutboxSerializer;

/** Serializes events, and refuses text that the database could not store. */
final class BodySerializer {
    private static final int MAX_CONTENT_TYPE = 100;

    private final OutboxSerializer serializer;
    private final int maxBytes;

    BodySerializer(OutboxSerializer serializer, int maxBytes) {
        this.serializer = serializer;
        this.maxBytes = maxBytes;
    }

    /** @param headers count towards the size limit, since the outbox stores and sends them with the payload */
    Body body(Object event, Map<String, String> headers) {
        String text = serialize(event);
        int bytes = bytes(text);
        long all = bytes;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            all += bytes(header.getKey()) + bytes(header.getValue());
        }
        if (all > maxBytes) {
            throw Problem.PAYLOAD_TOO_LARGE.exception(event.getClass().getName(), all, maxBytes);
        }
        return new Body(contentType(event), text, bytes);
    }

    private String serialize(Object event) {
        String text;
        try {
            text = serializer.serialize(event);
        } catch (OutOfMemoryError | OutboxException e) {
            throw e;
        } catch (Exception | Error e) {
            throw Problem.NOT_SERIALIZABLE.exception(
                    e, event.getClass().getName(), serializer.contentType(), Problem.reason(e));
        }
        if (text == null) {
            throw unusable(event, "the serializer returned null");
        }
        String wrong = Texts.problem(text);
        if (wrong != null) {
            throw unusable(event, "the text " + wrong);
        }
        return text;
    }

    private String contentType(Object event) {
        String contentType = serializer.contentType();
        if (contentType == null || contentType.isBlank() || contentType.length() > MAX_CONTENT_TYPE) {
            throw unusable(event, "a content type has 1 to " + MAX_CONTENT_TYPE + " characters");
        }
        return contentType;
    }

    private RuntimeException unusable(Object event, String why) {
        return Problem.NOT_SERIALIZABLE.exception(event.getClass().getName(), serializer.contentType(), why);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
