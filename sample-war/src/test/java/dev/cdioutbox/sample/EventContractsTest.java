package dev.cdioutbox.sample;

import dev.cdioutbox.testing.EventContracts;
import org.junit.jupiter.api.Test;

/** The payloads are those of src/test/resources/outbox-contracts.txt, on which consumers rely. */
class EventContractsTest {

    @Test
    void payloadsAreThoseThatConsumersKnow() {
        EventContracts.of(OrderPlaced.class).verify();
    }
}
