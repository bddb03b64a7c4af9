package dev.cdioutbox.tests.finalmethod;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent
public record Happened(@OutboxKey String id) {}
