package dev.cdioutbox.tests.ear;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Each WAR has a copy of this class. */
@OutboxEvent
public record Own(@OutboxKey String id) {}
