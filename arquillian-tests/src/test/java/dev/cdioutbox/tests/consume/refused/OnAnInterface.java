package dev.cdioutbox.tests.consume.refused;

import jakarta.jms.Message;

import dev.cdioutbox.jms.IdempotentConsumer;

/** What stands here reaches no class that implements it. */
public interface OnAnInterface {
    @IdempotentConsumer("inert")
    void handle(Message message);
}
