package dev.cdioutbox.tests.due;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event whose message is delayed. */
@OutboxEvent
public record Reminder(@OutboxKey String id) {}
