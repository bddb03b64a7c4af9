package dev.cdioutbox.tests.sample;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.jms.Message;
import jakarta.transaction.Transactional;

import dev.cdioutbox.jms.IdempotentConsumer;

/** A consumer that is not a message-driven bean. */
@ApplicationScoped
@Transactional
@IdempotentConsumer("by-hand")
public class HandWork {
    public void handle(Message message) {
        // The test sees the call in its trace.
    }
}
