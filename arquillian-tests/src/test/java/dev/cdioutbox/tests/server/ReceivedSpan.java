package dev.cdioutbox.tests.server;

import java.util.Map;
import java.util.TreeMap;

/**
 * A span that a server exported.
 *
 * @param kind 2 is a server, 4 a producer, 5 a consumer
 * @param attributes the attributes with a text value; a value of another type is empty
 */
public record ReceivedSpan(
        String traceId, String spanId, String parentId, String name, int kind, Map<String, String> attributes) {
    public static final int SERVER = 2;
    public static final int PRODUCER = 4;
    public static final int CONSUMER = 5;

    static ReceivedSpan of(Protobuf span) {
        Map<String, String> attributes = new TreeMap<>();
        for (Protobuf attribute : span.messages(9)) {
            attribute.messages(2).forEach(value -> attributes.put(attribute.text(1), value.text(1)));
        }
        return new ReceivedSpan(span.hex(1), span.hex(2), span.hex(4), span.text(5), (int) span.number(6), attributes);
    }
}
