package dev.cdioutbox.jms.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import jakarta.jms.JMSException;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import org.junit.jupiter.api.Test;

/** A message carries all that is known of it; for an external destination, only the public part. */
class MessageMappingTest {
    private static final Context CONTEXT = new Context("correlation", "causation", "tenant", Map.of("region", "eu"));
    private static final Context STRIPPED =
            new Context("correlation", "causation", "tenant", Map.of("region", "eu"), true);

    private static final DestinationConfig INTERNAL =
            new DestinationConfig("jms", "jms/outbox", "jms/factory", Duration.ZERO, true, false, null, Map.of());

    private Map<String, Object> set;

    @Test
    void everythingThatIsKnownTravelsWithTheMessage() throws JMSException {
        map(new Event("OrderPlaced", 3, "Order", "order-1"), CONTEXT, true);

        assertThat(set)
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("text", "{\"id\":1}"),
                        Map.entry("setJMSType", "OrderPlaced"),
                        Map.entry("setJMSCorrelationID", "correlation"),
                        Map.entry("messageId", MappedProperties.ID.toString()),
                        Map.entry("sequence", 7L),
                        Map.entry("storedAt", "1970-01-01T00:00:00Z"),
                        Map.entry("eventType", "OrderPlaced"),
                        Map.entry("schemaVersion", 3),
                        Map.entry("occurredAt", "2026-11-21T10:00:00.123Z"),
                        Map.entry("contentType", "application/json"),
                        Map.entry("aggregateType", "Order"),
                        Map.entry("aggregateId", "order-1"),
                        Map.entry("tenantId", "tenant"),
                        Map.entry("causationId", "causation"),
                        Map.entry("region", "eu"),
                        Map.entry("JMSXGroupID", "order-1")));
    }

    @Test
    void bytesAreSentAsBytes() throws JMSException {
        byte[] bytes = {0, -1, 'a'};

        set = MappedProperties.ofBinary(bytes, INTERNAL);

        assertThat(set)
                .doesNotContainKey("text")
                .containsEntry("contentType", "avro/binary")
                .containsEntry("writeBytes", bytes);
    }

    /** Its own sequence is higher than those of what was fired since, which an ordered consumer would skip after it. */
    @Test
    void backfilledMessageHasTheSequenceOfItsOriginal() throws JMSException {
        map(
                new Event("OrderPlaced", 1, null, "order-1"),
                new Context(null, null, null, Map.of(), false, 3L, null),
                true);

        assertThat(set).containsEntry("sequence", 3L).doesNotContainKey("storedAt");
    }

    @Test
    void whatIsNotKnownIsNotThere() throws JMSException {
        map(new Event("OrderPlaced", 1, null, null), Context.NONE, true);

        assertThat(set)
                .containsOnlyKeys(
                        "text",
                        "setJMSType",
                        "setJMSCorrelationID",
                        "messageId",
                        "sequence",
                        "storedAt",
                        "eventType",
                        "schemaVersion",
                        "occurredAt",
                        "contentType")
                .as("it begins a chain")
                .containsEntry("setJMSCorrelationID", MappedProperties.ID.toString());
    }

    /** Without the key, a consumer would take the aggregate for the order. */
    @Test
    void keyTravelsBesideAnotherAggregateId() throws JMSException {
        map(new Event("OrderPlaced", 1, null, "customer-1", "order-1"), Context.NONE, true);
        assertThat(set)
                .containsEntry("aggregateId", "order-1")
                .containsEntry("messageKey", "customer-1")
                .containsEntry("JMSXGroupID", "customer-1");

        map(new Event("OrderPlaced", 1, null, null, "order-1"), Context.NONE, true);
        assertThat(set)
                .containsEntry("aggregateId", "order-1")
                .containsEntry("messageKey", "")
                .doesNotContainKey("JMSXGroupID");
    }

    @Test
    void keyIsNoGroupIfThatIsConfigured() throws JMSException {
        map(new Event("OrderPlaced", 1, null, "order-1"), Context.NONE, false);

        assertThat(set).doesNotContainKey("JMSXGroupID").containsEntry("aggregateId", "order-1");
    }

    /** The capture has stripped the row already. The mapping must drop internal values even if the row has them. */
    @Test
    void strangersGetNoSequenceAndNothingThatIsForTheHouse() throws JMSException {
        map(new Event("OrderPlaced", 3, "Order", "order-1"), STRIPPED, true, true);

        assertThat(set)
                .containsOnlyKeys(
                        "text",
                        "setJMSType",
                        "messageId",
                        "eventType",
                        "schemaVersion",
                        "occurredAt",
                        "contentType",
                        "aggregateType",
                        "aggregateId",
                        "region",
                        "JMSXGroupID");
    }

    @Test
    void whatWasCapturedBeforeTheDestinationBecameExternalKeepsItsHeadersToItself() throws JMSException {
        map(new Event("OrderPlaced", 3, "Order", "order-1"), CONTEXT, true, true);

        assertThat(set).doesNotContainKey("region").containsKey("messageId");
    }

    @Test
    void attributesOfCloudEventsStandBesideTheUsualProperties() throws JMSException {
        Context traced = new Context(null, null, null, Map.of("traceparent", "00-1", "region", "eu"));
        set = MappedProperties.asCloudEvent(new Event("OrderPlaced", 3, "Order", "order-1"), traced, INTERNAL);

        assertThat(attributes())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "cloudEvents_specversion", "1.0",
                        "cloudEvents_id", MappedProperties.ID.toString(),
                        "cloudEvents_source", "/shop",
                        "cloudEvents_type", "OrderPlaced",
                        "cloudEvents_subject", "order-1",
                        "cloudEvents_time", "2026-11-21T10:00:00.123Z",
                        "cloudEvents_datacontenttype", "application/json",
                        "cloudEvents_traceparent", "00-1"));
        assertThat(set).containsKeys("messageId", "sequence", "eventType", "region");
    }

    @Test
    void headerGoesBeforeTheAttributeOfItsName() throws JMSException {
        Context own = new Context(null, null, null, Map.of("cloudEvents_subject", "/orders/1"));
        set = MappedProperties.asCloudEvent(new Event("OrderPlaced", 3, "Order", "order-1"), own, INTERNAL);

        assertThat(set).containsEntry("cloudEvents_subject", "/orders/1");
    }

    @Test
    void cloudEventWithoutAKeyHasNoSubject() throws JMSException {
        set = MappedProperties.asCloudEvent(new Event("OrderPlaced", 3, null, null), Context.NONE, INTERNAL);

        assertThat(attributes()).doesNotContainKey("cloudEvents_subject").containsKey("cloudEvents_id");
    }

    private Map<String, Object> attributes() {
        Map<String, Object> attributes = new TreeMap<>(set);
        attributes.keySet().removeIf(name -> !name.startsWith("cloudEvents_"));
        return attributes;
    }

    private void map(Event event, Context context, boolean groupByKey) throws JMSException {
        map(event, context, groupByKey, false);
    }

    private void map(Event event, Context context, boolean groupByKey, boolean external) throws JMSException {
        set = MappedProperties.of(
                event,
                context,
                new DestinationConfig(
                        "jms", "jms/outbox", "jms/factory", Duration.ZERO, groupByKey, external, null, Map.of()));
    }
}
