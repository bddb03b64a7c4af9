package dev.cdioutbox.tests.capture;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** The usual event of the scenarios. Two events with the same key and token are equal. */
@OutboxEvent(type = "capture.noted")
public record Noted(@OutboxKey String key, String token) {}
