package dev.cdioutbox.tests.ear.shared;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** A class in a library of the EAR. CDI sees its annotation only if the outbox is in the EAR's libraries too. */
@OutboxEvent
public record SharedAndAnnotated(@OutboxKey String id) {}
