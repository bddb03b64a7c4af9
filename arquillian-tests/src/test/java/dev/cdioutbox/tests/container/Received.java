package dev.cdioutbox.tests.container;

import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.TreeMap;

import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

/** A copy of a received JMS message. */
public record Received(
        String jmsType,
        String groupId,
        boolean persistent,
        Map<String, Object> properties,
        String correlationId,
        int priority,
        String text) {

    static Received of(Message message) throws JMSException {
        Map<String, Object> properties = new TreeMap<>();
        for (Object name : Collections.list((Enumeration<?>) message.getPropertyNames())) {
            properties.put((String) name, message.getObjectProperty((String) name));
        }
        return new Received(
                message.getJMSType(),
                message.getStringProperty("JMSXGroupID"),
                message.getJMSDeliveryMode() == DeliveryMode.PERSISTENT,
                properties,
                message.getJMSCorrelationID(),
                message.getJMSPriority(),
                message.getBody(String.class));
    }

    String property(String name) {
        return String.valueOf(properties.get(name));
    }
}
