package dev.cdioutbox.internal.capture.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxAggregateId;
import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.capture.TestFactory;
import dev.cdioutbox.internal.capture.TextSerializer;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import org.junit.jupiter.api.Test;

/** Guards that each message of an event has the type, body, metadata and destination that it should have. */
class MessageFactoryTest {
    private static final String GRIN = "\uD83D\uDE00";
    private static final String NAME = Placed.class.getName();

    @OutboxEvent(type = "placed", version = 2, aggregateType = "Order")
    record Placed(@OutboxKey String id) {}

    @OutboxEvent
    record Changed(
            @OutboxKey String customer, @OutboxAggregateId Optional<String> order) {}

    @OutboxEvent(destination = {"audit", "default"})
    record ToBoth() {}

    @OutboxEvent(destination = "nowhere")
    record ToNowhere() {}

    @OutboxEvent(destination = "local")
    record ToHandlers() {}

    @OutboxEvent(destination = "shipping")
    record ToAHandler() {}

    @Test
    void messageSaysWhatItsTypeSays() {
        List<NewMessage> messages = messages(TextSerializer.ofToString(), new Placed("order-1"));

        assertThat(messages).hasSize(1);
        NewMessage message = messages.get(0);
        assertThat(message.event()).isEqualTo(new Event("placed", 2, "Order", "order-1"));
        assertThat(message.body()).isEqualTo(new Body("text/plain", OutboxPayload.text("Placed[id=order-1]")));
        assertThat(message.destination()).isEqualTo("default");
        assertThat(message.id().version()).isEqualTo(7);
        assertThat(message.id().getMostSignificantBits() >>> 16)
                .isEqualTo(message.occurredAt().toEpochMilli());
    }

    /** An application that orders by customer names the order. */
    @Test
    void aggregateIdIsTheKeyUnlessTheEventHasAnother() {
        assertThat(aggregateIds(new Changed("customer-1", Optional.of("order-1"))))
                .containsExactly("order-1");
        assertThat(aggregateIds(new Changed("customer-1", Optional.empty()))).containsExactly("customer-1");
        assertThat(aggregateIds(new Placed("order-1"))).containsExactly("order-1");
    }

    @Test
    void enricherSetsTheAggregateIdAndFindsThatOfTheEvent() {
        MetadataSource sub = (event, metadata) -> metadata.aggregateId(metadata.aggregateId() + "/1");
        MetadataSource none = (event, metadata) -> metadata.aggregateId(null);
        Changed changed = new Changed("customer-1", Optional.of("order-1"));

        assertThat(aggregateIds(changed, sub)).containsExactly("order-1/1");
        assertThat(aggregateIds(changed, none)).containsExactly("customer-1");
    }

    @Test
    void aggregateIdThatCannotBeStoredIsRefused() {
        assertThatThrownBy(() -> aggregateIds(new Changed("customer-1", Optional.of("x".repeat(256)))))
                .isInstanceOf(EventRefusedException.class)
                .hasMessage("OBX-0126: event " + Changed.class.getName()
                        + ": its aggregate id (order) cannot be used: it has 256 characters; at most 255 are allowed.");
        assertThatThrownBy(() -> aggregateIds(new Changed("customer-1", Optional.of("a\0"))))
                .hasMessageStartingWith("OBX-0126")
                .hasMessageContaining("U+0000");
    }

    private static List<String> aggregateIds(Object event, MetadataSource... sources) {
        return TestFactory.of(TestConfig.of(), TextSerializer.ofToString(), sources)
                .messages(EventType.of(event.getClass()), event)
                .stream()
                .map(message -> message.event().aggregateId())
                .toList();
    }

    @Test
    void eventIsOneMessageForEachDestination() {
        List<NewMessage> messages = messages(TextSerializer.ofToString(), new ToBoth());

        assertThat(messages).extracting(NewMessage::destination).containsExactly("audit", "default");
        assertThat(messages).extracting(NewMessage::id).doesNotHaveDuplicates();
    }

    @Test
    void routeDecidesWhereTheAnnotationDoesNot() {
        MessageFactory factory = TestFactory.of(
                TestConfig.of("outbox.destinations.audit.jndi", "jms/audit", "outbox.routes.placed", "audit"),
                TextSerializer.ofToString());

        assertThat(factory.messages(EventType.of(Placed.class), new Placed("1")))
                .extracting(NewMessage::destination)
                .containsExactly("audit");
    }

    @Test
    void eachHandlerOfTheTypeGetsAMessageBesideTheRoute() {
        assertThat(destinationsWithHandlers(new Placed("1"))).containsExactly("default", "audit", "shipping");
        assertThat(destinationsWithHandlers(new ToHandlers())).containsExactly("audit");
        assertThat(destinationsWithHandlers(new Placed("1"), (event, metadata) -> metadata.destinations("local")))
                .containsExactly("audit", "shipping");
    }

    private static List<String> destinationsWithHandlers(Object event, MetadataSource... sources) {
        Map<String, List<String>> handlers = Map.of("shipping", List.of("placed"), "audit", List.of("*"));
        return TestFactory.of(TestConfig.withHandlers(handlers), TextSerializer.ofToString(), sources)
                .messages(EventType.of(event.getClass()), event)
                .stream()
                .map(NewMessage::destination)
                .toList();
    }

    @Test
    void eventForHandlersThatNobodyHandlesIsRefused() {
        MessageFactory factory = TestFactory.of(TestConfig.of(), TextSerializer.ofToString());

        assertThatThrownBy(() -> factory.require(EventType.of(ToHandlers.class)))
                .hasMessageStartingWith("OBX-0133: event " + ToHandlers.class.getName());
    }

    @Test
    void handlerIsNoDestinationOfAnEvent() {
        MessageFactory factory = TestFactory.of(
                TestConfig.withHandlers(Map.of("shipping", List.of("placed"))), TextSerializer.ofToString());

        assertThatThrownBy(() -> factory.require(EventType.of(ToAHandler.class)))
                .hasMessageStartingWith("OBX-0134")
                .hasMessageContaining("'shipping', which is a handler");
    }

    @Test
    void enricherDecidesByContent() {
        MessageFactory factory = TestFactory.of(
                TestConfig.of("outbox.destinations.audit.jndi", "jms/audit"),
                TextSerializer.ofToString(),
                (event, metadata) ->
                        metadata.destinations("audit", event.toString().contains("7") ? "seven" : "audit"));

        assertThat(factory.messages(EventType.of(Placed.class), new Placed("1")))
                .extracting(NewMessage::destination)
                .containsExactly("audit");
        assertThatThrownBy(() -> factory.messages(EventType.of(Placed.class), new Placed("7")))
                .hasMessageContaining("goes to destination 'seven', which is not configured");
    }

    /** What is committed is in the log, and its reader sends it at once. */
    @Test
    void delayAndExpiryAreRefusedWithChangeDataCapture() {
        MetadataSource delay = (event, metadata) -> metadata.deliverNotBefore(Instant.now());
        MetadataSource expiry = (event, metadata) -> metadata.timeToLive(Duration.ofHours(1));

        assertThatThrownBy(() -> withCdc(delay))
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith("OBX-0125: event " + NAME)
                .hasMessageContaining("nothing can delay it");
        assertThatThrownBy(() -> withCdc(expiry)).hasMessageContaining("nothing can let it expire");
        assertThat(withCdc((event, metadata) -> metadata.header("region", "eu")))
                .hasSize(1);
    }

    private static List<NewMessage> withCdc(MetadataSource source) {
        MessageFactory factory =
                TestFactory.of(TestConfig.of("outbox.transport", "cdc"), TextSerializer.ofToString(), source);
        return factory.messages(EventType.of(Placed.class), new Placed("1"));
    }

    @Test
    void unknownDestinationIsRefused() {
        assertThatThrownBy(() -> messages(TextSerializer.ofToString(), new ToNowhere()))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0112: event " + ToNowhere.class.getName())
                .hasMessageContainingAll("'nowhere'", "outbox.destinations.nowhere.jndi", "audit");
    }

    @Test
    void knownDestinationsAreListedInTheOrderOfTheirNames() {
        MessageFactory factory = TestFactory.of(
                TestConfig.of(
                        "outbox.destinations.zebra.jndi", "jms/z",
                        "outbox.destinations.mole.jndi", "jms/m",
                        "outbox.destinations.ant.jndi", "jms/a"),
                TextSerializer.ofToString());

        assertThatThrownBy(() -> factory.require(EventType.of(ToNowhere.class)))
                .hasMessageContaining("[ant, default, mole, zebra]");
    }

    @Test
    void sizeIsThatOfTheTextInUtf8() {
        assertThat(messages(new TextSerializer(event -> GRIN.repeat(2)), new Placed("1"))
                        .get(0)
                        .body()
                        .bytes())
                .isEqualTo(8);
        assertThatThrownBy(() -> messages(new TextSerializer(event -> GRIN.repeat(2) + "x"), new Placed("1")))
                .hasMessageStartingWith("OBX-0109: event " + NAME + ": its payload and headers have 9 bytes")
                .hasMessageContaining("allows 8");
    }

    @Test
    void emptyPayloadIsAPayload() {
        assertThat(messages(new TextSerializer(event -> ""), new Placed("1"))
                        .get(0)
                        .body()
                        .text())
                .isEmpty();
    }

    @Test
    void serializerThatThrowsNamesTheEventAndTheReason() {
        TextSerializer serializer = new TextSerializer(event -> {
            throw new IOException("a cycle");
        });

        assertThatThrownBy(() -> messages(serializer, new Placed("1")))
                .hasMessageStartingWith("OBX-0108: event " + NAME + " could not be written as text/plain: a cycle.")
                .hasRootCauseInstanceOf(IOException.class);
    }

    @Test
    void serializerThatNeverEndsNamesTheEvent() {
        TextSerializer serializer = new TextSerializer(MessageFactoryTest::endless);

        assertThatThrownBy(() -> messages(serializer, new Placed("1")))
                .hasMessageStartingWith("OBX-0108: event " + NAME)
                .hasRootCauseInstanceOf(StackOverflowError.class);
    }

    @Test
    void serializerThatReturnsNullIsRefused() {
        assertThatThrownBy(() -> messages(new TextSerializer(event -> null), new Placed("1")))
                .hasMessageStartingWith("OBX-0108: event " + NAME)
                .hasMessageContaining("the text is null");
    }

    @Test
    void rowOfAnExternalDestinationIsStrippedAndSharesItsText() {
        MessageFactory factory = TestFactory.of(
                TestConfig.of(
                        "outbox.destinations.audit.jndi", "jms/audit", "outbox.destinations.audit.external", "true"),
                TextSerializer.ofToString(),
                (event, metadata) -> {
                    metadata.trace("traceparent", "00-trace");
                    metadata.correlationId("correlation")
                            .causationId("causation")
                            .tenantId("tenant")
                            .header("secret", "1")
                            .externalHeader("region", "eu")
                            .priority(7);
                });

        List<NewMessage> messages = factory.messages(EventType.of(ToBoth.class), new ToBoth());

        NewMessage external = messages.get(0);
        NewMessage internal = messages.get(1);
        assertThat(external.context()).isEqualTo(new Context(null, null, null, Map.of("region", "eu"), true));
        assertThat(internal.context())
                .isEqualTo(new Context(
                        "correlation",
                        "causation",
                        "tenant",
                        Map.of("traceparent", "00-trace", "secret", "1", "region", "eu")));
        assertThat(external.body()).as("10,000 events of 1 MiB, once each").isSameAs(internal.body());
        assertThat(external.terms()).isEqualTo(internal.terms()).isEqualTo(new Terms(null, null, 7));
    }

    @Test
    void laterSourceChangesWhatAnEarlierOneSaid() {
        MessageFactory factory = TestFactory.of(
                TestConfig.of(),
                TextSerializer.ofToString(),
                (event, metadata) -> metadata.tenantId("first"),
                (event, metadata) -> metadata.tenantId(metadata.tenantId() + ", then second"));

        assertThat(factory.messages(EventType.of(Placed.class), new Placed("1")))
                .extracting(message -> message.context().tenantId())
                .containsExactly("first, then second");
    }

    @Test
    void eventThatIsNotValidIsNeitherEnrichedNorSerialized() {
        MessageFactory factory = new MessageFactory(
                TestConfig.of(),
                event -> {
                    throw new IllegalArgumentException("not valid");
                },
                new TextSerializer(MessageFactoryTest::unexpected),
                List.of((event, metadata) -> unexpected(event)));

        assertThatThrownBy(() -> factory.messages(EventType.of(Placed.class), new Placed(null)))
                .hasMessage("not valid");
    }

    @Test
    void headersOfTheEnrichersCountTowardsTheLimit() {
        MessageFactory factory = TestFactory.of(
                TestConfig.of("outbox.payload.max-size", "20"),
                TextSerializer.ofToString(),
                (event, metadata) -> metadata.header("a", "b"));

        assertThat(factory.messages(EventType.of(Placed.class), new Placed("order-1")))
                .hasSize(1);
        assertThatThrownBy(() -> factory.messages(EventType.of(Placed.class), new Placed("order-10")))
                .hasMessageStartingWith("OBX-0109")
                .hasMessageContaining("have 21 bytes");
    }

    /** Liberty would try for ever to end the transaction. */
    @Test
    void eventAboveTheLogOfLibertysMessagingIsRefusedForItsDestinationsOnly() {
        MessageFactory factory = TestFactory.of(
                TestConfig.of(
                        "outbox.destinations.default.connection-factory",
                        "jms/activemq",
                        "outbox.jms.messaging-log-megabytes",
                        "1"),
                new TextSerializer(event -> "0".repeat(900_000)));
        assertThat(factory.messages(EventType.of(Placed.class), new Placed("order-1")))
                .hasSize(1);

        MessageFactory ofLiberty =
                TestFactory.of(TestConfig.of("outbox.jms.messaging-log-megabytes", "1"), new TextSerializer(event -> "0"
                        .repeat(900_000)));
        assertThatThrownBy(() -> ofLiberty.messages(EventType.of(Placed.class), new Placed("order-1")))
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith("OBX-0540: event " + NAME + " has 900000 bytes")
                .hasMessageContaining("up to 838860 bytes");
    }

    private static String unexpected(Object event) {
        throw new AssertionError("the event is not valid: " + event);
    }

    private static String endless(Object event) {
        return endless(event) + event;
    }

    /** The limit is 8 bytes, unless the text is that of the record. */
    private static List<NewMessage> messages(TextSerializer serializer, Object event) {
        String most = serializer.equals(TextSerializer.ofToString()) ? "1000" : "8";
        MessageFactory factory = TestFactory.of(
                TestConfig.of("outbox.destinations.audit.jndi", "jms/audit", "outbox.payload.max-size", most),
                serializer);
        return factory.messages(EventType.of(event.getClass()), event);
    }
}
