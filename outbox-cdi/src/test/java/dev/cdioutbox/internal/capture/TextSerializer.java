package dev.cdioutbox.internal.capture;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.spi.OutboxSerializer;

/** Serializes an event by a given function. */
public record TextSerializer(Text text) implements OutboxSerializer {

    public static TextSerializer ofToString() {
        return new TextSerializer(Object::toString);
    }

    @Override
    public String contentType(Object event) {
        return "text/plain";
    }

    @Override
    public OutboxPayload serialize(Object event) throws Exception {
        return OutboxPayload.text(text.of(event));
    }

    public interface Text {
        String of(Object event) throws Exception;
    }
}
