package dev.cdioutbox.tests.consume.refused;

import jakarta.enterprise.context.Dependent;
import jakarta.transaction.Transactional;

import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.MessageId;

/** Names an outbox that is not configured. */
@Dependent
public class OfUnknownOutbox {
    @Transactional
    @IdempotentConsumer(value = "refused", outbox = "nobody's")
    public void handle(@MessageId String id) {
        throw new IllegalStateException("never called");
    }
}
