package dev.cdioutbox.jms.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Map;

import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.TextMessage;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.jms.ReceivedEvents;
import org.junit.jupiter.api.Test;

/** A consumer reads text and bytes, and no objects. */
class JmsReceivedEventsTest {
    private static final byte[] BYTES = {0, -1, 'a'};

    private final ReceivedEvents events = ReceivedMessages.events();

    @Test
    void textIsRead() {
        assertThat(events.read(message(TextMessage.class, OutboxPayload.text("{}")))
                        .text())
                .isEqualTo("{}");
        assertThat(events.read(message(TextMessage.class, null)).text()).isEmpty();
    }

    @Test
    void bytesAreRead() {
        ReceivedEvent event = events.read(ReceivedMessages.of(OutboxPayload.binary(BYTES), "OrderPlaced", 2));

        assertThat(event.bytes()).isEqualTo(BYTES);
        assertThat(event.contentType()).isEqualTo("avro/binary");
        assertThat(event.version()).isEqualTo(2);
    }

    @Test
    void propertyThatIsNoTextIsLeftOut() {
        TextMessage message = ReceivedMessages.fake(TextMessage.class, (method, arguments) -> switch (method) {
            case "getPropertyNames" -> Collections.enumeration(List.of("colour", "digest"));
            case "getStringProperty" -> {
                if ("digest".equals(arguments[0])) {
                    throw new MessageFormatException("bytes are no text");
                }
                yield "colour".equals(arguments[0]) ? "red" : null;
            }
            default -> null;
        });

        assertThat(events.read(message).headers()).isEqualTo(Map.of("colour", "red"));
    }

    @Test
    void objectIsRefused() {
        assertThatThrownBy(() -> events.read(message(ObjectMessage.class, null)))
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith("OBX-0512")
                .hasMessageContaining("neither a text message nor a bytes message");
    }

    private static Message message(Class<? extends Message> type, OutboxPayload payload) {
        return ReceivedMessages.of(type, payload, Map.of());
    }
}
