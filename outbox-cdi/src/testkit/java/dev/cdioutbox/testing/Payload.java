package dev.cdioutbox.testing;

import dev.cdioutbox.internal.capture.event.EventType;

/** What the messages of an event type have as their payload. */
record Payload(EventType type, String contentType, Shape shape) {

    /** What consumers tell payloads apart by. */
    String name() {
        return type.name() + " " + type.version();
    }

    /** The same type with what each of the two may have. */
    Payload merge(Payload other) {
        return new Payload(type, contentType, Shape.merge(shape, other.shape));
    }

    boolean isJson() {
        return isJson(contentType);
    }

    static boolean isJson(String contentType) {
        return contentType.matches("(?is)\\s*[^;]*[/+]json\\s*(;.*)?");
    }
}
