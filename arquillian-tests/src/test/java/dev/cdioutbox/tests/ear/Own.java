package dev.cdioutbox.tests.ear;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Each WAR has it for itself. */
@OutboxEvent
public record Own(@OutboxKey String id) {}
