package dev.cdioutbox.testing;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.transport.MessageOptions;

/**
 * A JSON Schema of what a message carries besides its payload: the properties of a JMS message, or the headers of a record of Kafka, all
 * of which are texts. Tests of the transports compare it with what they send.
 */
final class MessageHeaders {
    private final SortedSet<String> required = new TreeSet<>();
    private final Map<String, JsonObjectBuilder> properties = new TreeMap<>();

    /**
     * The headers of a message.
     *
     * @param isDeadLetter whether the message may be a copy of one that was given up
     */
    static JsonObject of(Payload payload, DestinationConfig destination, MessageOptions options, boolean isDeadLetter) {
        MessageHeaders headers = new MessageHeaders();
        headers.addEvent(payload, destination);
        if (!destination.external()) {
            headers.addInternal(destination);
        }
        if (options.cloudEvents()) {
            headers.addCloudEvent(payload, destination);
        }
        if (isDeadLetter) {
            headers.addDeadLetter();
        }
        return headers.schema("Enrichers of the application may add others.");
    }

    /** What JMS itself defines. */
    static JsonObject ofJms(Payload payload, DestinationConfig destination) {
        MessageHeaders headers = new MessageHeaders();
        headers.always("JMSType", constant(payload.type().name()), "The type of the event.");
        if (!destination.external()) {
            headers.always("JMSCorrelationID", text(), "The correlation id, or the id of the message if it has none.");
        }
        if (destination.groupByKey()) {
            headers.maybe("JMSXGroupID", text(), "The key of the event, if it has one.");
        }
        return headers.schema("The headers of JMS.");
    }

    private void addEvent(Payload payload, DestinationConfig destination) {
        String version = String.valueOf(payload.type().version());
        always("messageId", text("uuid"), "The id of the message, which stays when it is sent again.");
        always("eventType", constant(payload.type().name()), "The type of the event.");
        always(
                "schemaVersion",
                isKafka(destination)
                        ? constant(version)
                        : Json.createObjectBuilder()
                                .add("type", "integer")
                                .add("const", payload.type().version()),
                "The version of the payload.");
        always("contentType", constant(payload.contentType()), "The media type of the payload.");
        always("occurredAt", text("date-time"), "When the event was fired.");
        if (payload.type().aggregateType() != null) {
            always("aggregateType", constant(payload.type().aggregateType()), "What the event is about.");
        }
        maybe(
                "aggregateId",
                text(),
                "The id of what the event is about, which is the key unless there is a messageKey.");
        maybe("messageKey", text(), "The key, if it is not the aggregateId; empty for none.");
        if (!isKafka(destination)) {
            maybe("encodedProperties", text(), "URL-encoded properties whose characters a broker would change.");
        }
    }

    private void addInternal(DestinationConfig destination) {
        if (isKafka(destination)) {
            always("sequence", text(), "The place of the message in the order of the outbox: a whole number.");
            always("correlationId", text(), "The correlation id, or the id of the message if it has none.");
        } else {
            always(
                    "sequence",
                    Json.createObjectBuilder().add("type", "integer"),
                    "The place of the message in the order of the outbox.");
            maybe("storedAt", text("date-time"), "When the message was stored, by the clock of the database.");
        }
        maybe("deliverNotBefore", text("date-time"), "Until when a delayed message has waited.");
        maybe("causationId", text(), "The id of the message that has caused this one.");
        maybe("tenantId", text(), "The tenant.");
        maybe("traceparent", text(), "The trace of the send, as W3C Trace Context has it.");
        maybe("tracestate", text(), "The state of the trace.");
    }

    private void addCloudEvent(Payload payload, DestinationConfig destination) {
        String prefix = isKafka(destination) ? "ce_" : "cloudEvents_";
        String attribute = "An attribute of CloudEvents.";
        always(prefix + "specversion", constant("1.0"), attribute);
        always(prefix + "id", text("uuid"), attribute);
        always(prefix + "source", text("uri-reference"), attribute);
        always(prefix + "type", constant(payload.type().name()), attribute);
        always(prefix + "time", text("date-time"), attribute);
        always(
                isKafka(destination) ? "content-type" : prefix + "datacontenttype",
                constant(payload.contentType()),
                attribute);
        maybe(prefix + "subject", text(), attribute);
        maybe(prefix + "traceparent", text(), attribute);
        maybe(prefix + "tracestate", text(), attribute);
    }

    private void addDeadLetter() {
        maybe("deadLetterReason", text(), "In a copy of a message that was given up: its last error, or expired.");
        maybe("deadLetterAttempts", text(), "In such a copy: how often the message was tried.");
        maybe("deadLetterDestination", text(), "In such a copy: the destination of the message.");
        maybe("deadLetterCreatedAt", text("date-time"), "In such a copy: when the message was stored.");
        maybe("deadLetterAt", text("date-time"), "In such a copy: when the message was given up.");
    }

    private static boolean isKafka(DestinationConfig destination) {
        return !destination.transport().equals(DestinationConfig.JMS);
    }

    private static JsonObjectBuilder text() {
        return Json.createObjectBuilder().add("type", "string");
    }

    private static JsonObjectBuilder text(String format) {
        return text().add("format", format);
    }

    private static JsonObjectBuilder constant(String value) {
        return text().add("const", value);
    }

    private void always(String name, JsonObjectBuilder schema, String description) {
        required.add(name);
        maybe(name, schema, description);
    }

    private void maybe(String name, JsonObjectBuilder schema, String description) {
        properties.put(name, schema.add("description", description));
    }

    private JsonObject schema(String description) {
        JsonObjectBuilder all = Json.createObjectBuilder();
        properties.forEach(all::add);
        return Json.createObjectBuilder()
                .add("type", "object")
                .add("description", description)
                .add("required", Json.createArrayBuilder(required))
                .add("properties", all)
                .build();
    }
}
