package dev.cdioutbox.tests.container;

import java.util.Map;

/** A JMS message as it came in. */
public record Received(
        String jmsType,
        String groupId,
        boolean persistent,
        Map<String, Object> properties,
        String correlationId,
        int priority,
        String text) {

    String property(String name) {
        return String.valueOf(properties.get(name));
    }
}
