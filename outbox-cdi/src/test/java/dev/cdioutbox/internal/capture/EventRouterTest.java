package dev.cdioutbox.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.Annotation;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventTypes;
import org.junit.jupiter.api.Test;

/** Guards that a refused event leaves nothing behind: a request may have named its outbox or its destination. */
class EventRouterTest {
    @Test
    void refusedEventIsForgotten() {
        EventTypes types = new EventTypes();
        Set<Annotation> qualifiers = Set.of(OutboxEvent.Literal.of("placed"));
        EventType known = types.of("event", qualifiers).orElseThrow();
        assertThat(types.of("event", qualifiers).orElseThrow()).isSameAs(known);

        EventRouter none = new EventRouter(Map.of(), types, new FakeRegistry());
        assertThatThrownBy(() -> none.capture("event", qualifiers)).hasMessageStartingWith("OBX-0211");

        assertThat(types.of("event", qualifiers).orElseThrow()).isNotSameAs(known);
    }
}
