package dev.cdioutbox.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbException;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.internal.code.FailureReason;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A consumer reads a payload only with an expected type and version. */
class ReceivedJsonEventTest {
    record OrderPlaced(String text) {}

    @OutboxEvent(type = "order.placed", version = 3)
    record Annotated(String text) {}

    @OutboxEvent
    record Untitled(String text) {}

    @Test
    void payloadIsReadIfTypeAndVersionAreExpected() {
        assertThat(event("Untitled", 1).as(Untitled.class)).isEqualTo(new Untitled("{}"));
        assertThat(event("OrderPlaced", 1).as(OrderPlaced.class)).isEqualTo(new OrderPlaced("{}"));
        assertThat(event("OrderPlaced", 2).as(OrderPlaced.class, 1, 2)).isEqualTo(new OrderPlaced("{}"));
        assertThat(event("order.placed", 3).as(Annotated.class)).isEqualTo(new Annotated("{}"));
        assertThat(event("order.placed", 2).as(Annotated.class, 2)).isEqualTo(new Annotated("{}"));
        assertThat(event("order.placed", 1).as("order.placed", OrderPlaced.class))
                .isEqualTo(new OrderPlaced("{}"));
    }

    @Test
    void anotherTypeOrVersionIsRefused() {
        assertUnexpected(() -> event("OrderPlaced", 2).as(OrderPlaced.class));
        assertUnexpected(() -> event("OrderPlaced", 3).as(OrderPlaced.class, 1, 2));
        assertUnexpected(() -> event("OrderCancelled", 1).as(OrderPlaced.class));
        assertUnexpected(() -> event("order.placed", 1).as(Annotated.class));
        assertUnexpected(() -> event("Annotated", 3).as(Annotated.class));
        assertUnexpected(() -> event(null, 1).as(OrderPlaced.class));
        assertUnexpected(() -> {
            throw event("OrderPlaced", 1).unexpected();
        });
    }

    @Test
    void versionIsOneAndSequenceUnknownIfTheMessageHasNone() {
        ReceivedEvent event =
                new ReceivedJsonEvent("T", Map.of(), OutboxPayload.text("{}"), ReceivedJsonEventTest::jsonb);

        assertThat(event.version()).isEqualTo(1);
        assertThat(event.sequence()).isEmpty();
        assertThat(event.id()).isNull();
        assertThat(event.key()).isNull();
        assertThat(event.tenantId()).isNull();
    }

    @Test
    void keyIsNotThatOfTheAggregateIfBothAreSent() {
        Map<String, String> headers = Map.of("aggregateId", "order-1", "messageKey", "customer-1");
        ReceivedEvent event =
                new ReceivedJsonEvent("T", headers, OutboxPayload.text("{}"), ReceivedJsonEventTest::jsonb);

        assertThat(event.key()).isEqualTo("customer-1");
        assertThat(event.aggregateId()).isEqualTo("order-1");
    }

    @Test
    void messagePropertiesArePresent() {
        ReceivedEvent event = new ReceivedJsonEvent(
                "T",
                Map.of(
                        "messageId",
                        "m1",
                        "aggregateId",
                        "order-1",
                        "sequence",
                        "7",
                        "schemaVersion",
                        "4",
                        "tenantId",
                        "north"),
                OutboxPayload.text("{}"),
                ReceivedJsonEventTest::jsonb);

        assertThat(event.id()).isEqualTo("m1");
        assertThat(event.key()).isEqualTo("order-1");
        assertThat(event.sequence()).hasValue(7);
        assertThat(event.version()).isEqualTo(4);
        assertThat(event.tenantId()).isEqualTo("north");
        assertThat(event.toString()).contains("m1").doesNotContain("{}");
    }

    @Test
    void unreadablePayloadIsRefused() {
        for (String text : new String[] {"broken", "null", ""}) {
            assertThatThrownBy(() -> event("OrderPlaced", 1, text).as(OrderPlaced.class))
                    .as(text)
                    .isInstanceOf(OutboxException.class)
                    .hasMessageStartingWith("OBX-0512: message m1 (OrderPlaced)");
        }
        // Cut to an int, the last value would be 1.
        for (String version : new String[] {"x", "1.0", "4294967297"}) {
            assertThatThrownBy(() -> new ReceivedJsonEvent(
                                    "T", Map.of("schemaVersion", version), OutboxPayload.text("{}"), null)
                            .version())
                    .as(version)
                    .hasMessageStartingWith("OBX-0512");
        }
        assertThatThrownBy(() ->
                        new ReceivedJsonEvent("T", Map.of("sequence", "x"), OutboxPayload.text("{}"), null).sequence())
                .hasMessageStartingWith("OBX-0512");
    }

    /** As a mask hides the value, no error may tell it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "{'in':{'iban':'DE89'}}  | property in.iban: java.lang.NumberFormatException at ",
                "{'in':{'day':'DE89'}}   | property in.day: java.time.format.DateTimeParseException at ",
                "{'in':{'color':'DE89'}} | java.lang.IllegalArgumentException at java.",
                "{'in':'DE89'}           | property in: jakarta.json.bind.JsonbException at ",
                "{'in':DE89}             | jakarta.json.stream.JsonParsingException in line 1, column 7 at "
            })
    void errorNamesThePlaceAndNotTheValue(String json, String reason) {
        ReceivedEvent event = new ReceivedJsonEvent(
                "Booking",
                Map.of("messageId", "m1"),
                OutboxPayload.text(json.replace('\'', '"')),
                JsonbBuilder::create);

        assertThatThrownBy(() -> event.as(Booking.class))
                .hasMessageStartingWith("OBX-0512: message m1 (Booking) cannot be read: as " + Booking.class.getName())
                .hasMessageContaining(reason)
                .hasStackTraceContaining("org.eclipse.yasson")
                .satisfies(e -> assertThat(Throwables.getStackTrace(e)).doesNotContain("DE89"))
                .satisfies(e -> assertThat(FailureReason.of(new IllegalStateException("the handler failed", e)))
                        .isEqualTo(e.getMessage().replaceFirst("\\.$", "")));
    }

    /** Public, as JSON-B needs it. */
    public static final class Booking {
        public Details in;
    }

    /** Public, as JSON-B needs it. */
    public static final class Details {
        public int iban;
        public LocalDate day;
        public DayOfWeek color;
    }

    @Test
    void binaryPayloadIsReadAsBytesOnly() {
        byte[] bytes = {0, -1, 'a'};
        ReceivedEvent event = new ReceivedJsonEvent(
                "OrderPlaced",
                Map.of("messageId", "m1", "contentType", "avro/binary"),
                OutboxPayload.binary(bytes),
                ReceivedJsonEventTest::jsonb);

        assertThat(event.bytes()).isEqualTo(bytes);
        for (ThrowingCallable read : List.<ThrowingCallable>of(event::text, () -> event.as(OrderPlaced.class))) {
            assertThatThrownBy(read)
                    .isInstanceOf(EventRefusedException.class)
                    .hasMessageStartingWith("OBX-0548: message m1 (OrderPlaced) has a binary payload (avro/binary)");
        }
        assertThat(event("OrderPlaced", 1).bytes()).isEqualTo("{}".getBytes(StandardCharsets.UTF_8));
    }

    private static void assertUnexpected(ThrowingCallable read) {
        assertThatThrownBy(read)
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith("OBX-0511: message m1");
    }

    private static ReceivedEvent event(String type, int version) {
        return event(type, version, "{}");
    }

    private static ReceivedEvent event(String type, int version, String text) {
        Map<String, String> headers = new TreeMap<>(Map.of("messageId", "m1", "schemaVersion", "" + version));
        return new ReceivedJsonEvent(type, headers, OutboxPayload.text(text), ReceivedJsonEventTest::jsonb);
    }

    /** A fake that returns an instance with the text. The tests on a server use the real one. */
    private static Jsonb jsonb() {
        return (Jsonb) Proxy.newProxyInstance(
                Jsonb.class.getClassLoader(), new Class<?>[] {Jsonb.class}, (proxy, method, arguments) -> {
                    if (arguments[0].equals("broken")) {
                        throw new JsonbException("no JSON");
                    }
                    return arguments[0].equals("null") ? null : make((Class<?>) arguments[1], (String) arguments[0]);
                });
    }

    private static Object make(Class<?> type, String text)
            throws InstantiationException, IllegalAccessException, InvocationTargetException {
        return type.getDeclaredConstructors()[0].newInstance(text);
    }
}
