package dev.cdioutbox.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.Test;

/** Guards that a handler for a type that nobody fires is told, because it would never be called. */
class HandledTypesTest {

    @OutboxEvent(type = "order.placed")
    record Placed(String id) {}

    @Test
    void typeThatNoEventClassHasIsToldWithTheRightOne() {
        EventTypes types = new EventTypes();
        types.register(Placed.class);
        Map<String, List<String>> handlers =
                Map.of("shipping", List.of("order.placed", "order.plcaed"), "audit", List.of("order.*"));
        OutboxInstance outbox = new OutboxInstance(
                "default", new CurrentConfig(TestConfig.withHandlers(handlers)), (JdbcOutboxStore) null);

        assertThat(OutboxDeployment.unknownHandledTypes(outbox, types))
                .singleElement()
                .extracting(Finding::toString)
                .asString()
                .startsWith("OBX-0132: the handler 'shipping' is for the event type order.plcaed")
                .contains("did you mean 'order.placed'?");
    }
}
