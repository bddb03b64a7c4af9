package dev.cdioutbox.internal.capture.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.capture.TextSerializer;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.spi.OutboxSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a payload that the database cannot store is refused when the event is fired. */
class MessageBodyTest {
    private static final String GRIN = "\uD83D\uDE00";

    @Test
    void headersCountTowardsTheLimitInUtf8() {
        // 2 bytes of text, 3 of a name, 3 of a value; the empty header has none.
        assertThat(factory("ab", 8)
                        .body("event", Map.of("nä", "é" + "x", "", ""))
                        .bytes())
                .as("the payload's own size")
                .isEqualTo(2);
        assertThatThrownBy(() -> factory("ab", 8).body("event", Map.of("näm", GRIN)))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith(
                        "OBX-0109: event java.lang.String: its payload and headers have 10 bytes; outbox.payload.max-size"
                                + " allows 8");
        assertThat(factory("abcd", 8).body("event", Map.of("n", "xyz")))
                .isEqualTo(new Body("text/plain", OutboxPayload.text("abcd")));
        assertThatThrownBy(() -> factory("abcd", 8).body("event", Map.of("n", "xyz!")))
                .hasMessageContaining("have 9 bytes");
        assertThatThrownBy(() -> factory("abcd", 8).body("event", Map.of("na", "xyz")))
                .hasMessageContaining("have 9 bytes");
    }

    @Test
    void binaryPayloadIsKeptAsItIs() {
        byte[] bytes = {0, -1, 'a'};

        Body body = binary("avro/binary", bytes, 3).body("event", Map.of());

        assertThat(body).isEqualTo(new Body("avro/binary", OutboxPayload.binary(bytes)));
        assertThat(body.bytes()).isEqualTo(3);
        assertThatThrownBy(body::text).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> binary("avro/binary", bytes, 2).body("event", Map.of()))
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith("OBX-0109")
                .hasMessageContaining("have 3 bytes");
    }

    /** Consumers would look for a text, and find none. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "Text/CSV; header=present",
                "application/json",
                "application/xml;version=1",
                "application/cloudevents+json",
                "application/x-form;  charset=UTF-8"
            })
    void bytesThatAreNamedATextAreRefused(String contentType) {
        assertThatThrownBy(() -> binary(contentType, new byte[1], 8).body("event", Map.of()))
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith(
                        "OBX-0127: event java.lang.String: its serializer returned bytes with the content" + " type "
                                + contentType);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"avro/binary", "application/x-protobuf", "application/cbor", "application/jose", "image/png"})
    void bytesMayHaveAnyOtherType(String contentType) {
        assertThat(binary(contentType, new byte[1], 8).body("event", Map.of()).contentType())
                .isEqualTo(contentType);
    }

    @Test
    void serializerHasToReturnAPayload() {
        for (OutboxPayload none : new OutboxPayload[] {null, OutboxPayload.erased()}) {
            assertThatThrownBy(() -> new BodyFactory(serializer("text/plain", none), 1000).body("event", Map.of()))
                    .hasMessageStartingWith("OBX-0108")
                    .hasMessageContaining("the serializer returned n");
        }
    }

    @Test
    void nulCharacterIsRefused() {
        assertUnusable("a\0b", "the text contains the character U+0000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\uD83D", "\uDE00a", "\uDE00\uD83D"})
    void halfACharacterIsRefused(String text) {
        assertUnusable(text, "the text contains half a surrogate pair");
    }

    @Test
    void wholePairIsACharacter() {
        assertThat(factory(GRIN, 4).body("event", Map.of()).bytes()).isEqualTo(4);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " "})
    void contentTypeIsNeeded(String contentType) {
        assertThatThrownBy(() -> factory(contentType).body("event", Map.of()))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0108: event java.lang.String")
                .hasMessageContaining("a content type has 1 to 100 characters");
    }

    /** An application may have a format of its own for one type. */
    @Test
    void eachEventHasItsContentType() {
        BodyFactory factory = new BodyFactory(
                new OutboxSerializer() {
                    @Override
                    public String contentType(Object event) {
                        return event instanceof Integer ? "text/number" : "text/plain";
                    }

                    @Override
                    public OutboxPayload serialize(Object event) {
                        return OutboxPayload.text(event.toString());
                    }
                },
                1000);

        assertThat(factory.body(1, Map.of())).isEqualTo(new Body("text/number", OutboxPayload.text("1")));
        assertThat(factory.body("a", Map.of())).isEqualTo(new Body("text/plain", OutboxPayload.text("a")));
    }

    @Test
    void contentTypeWithANulCharacterIsRefused() {
        assertThatThrownBy(() -> factory("text\0").body("event", Map.of()))
                .hasMessageStartingWith("OBX-0108")
                .hasMessageContaining("the content type contains the character U+0000");
    }

    @Test
    void contentTypeFitsItsColumn() {
        assertThat(factory("x".repeat(100)).body("event", Map.of()).contentType())
                .hasSize(100);
        assertThatThrownBy(() -> factory("x".repeat(101)).body("event", Map.of()))
                .hasMessageContaining("a content type has 1 to 100 characters");
    }

    private static void assertUnusable(String text, String why) {
        assertThatThrownBy(() -> factory(text, 1000).body("event", Map.of()))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0108: event java.lang.String could not be written as text/plain: " + why);
    }

    private static BodyFactory factory(String text, int most) {
        return new BodyFactory(new TextSerializer(event -> text), most);
    }

    private static BodyFactory factory(String contentType) {
        return new BodyFactory(serializer(contentType, OutboxPayload.text("text")), 1000);
    }

    private static BodyFactory binary(String contentType, byte[] bytes, int most) {
        return new BodyFactory(serializer(contentType, OutboxPayload.binary(bytes)), most);
    }

    private static OutboxSerializer serializer(String contentType, OutboxPayload payload) {
        return new OutboxSerializer() {
            @Override
            public String contentType(Object event) {
                return contentType;
            }

            @Override
            public OutboxPayload serialize(Object event) {
                return payload;
            }
        };
    }
}
