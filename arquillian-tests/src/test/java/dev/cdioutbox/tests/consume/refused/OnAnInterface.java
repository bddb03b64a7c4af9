package dev.cdioutbox.tests.consume.refused;

import jakarta.jms.Message;

import dev.cdioutbox.jms.IdempotentConsumer;

/** No implementing class inherits an annotation from an interface method. */
public interface OnAnInterface {
    @IdempotentConsumer("inert")
    void handle(Message message);
}
