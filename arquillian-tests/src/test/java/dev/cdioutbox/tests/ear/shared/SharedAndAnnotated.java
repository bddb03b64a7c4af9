package dev.cdioutbox.tests.ear.shared;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** In a library of the EAR, where its annotation is seen only if the outbox is there too. */
@OutboxEvent
public record SharedAndAnnotated(@OutboxKey String id) {}
