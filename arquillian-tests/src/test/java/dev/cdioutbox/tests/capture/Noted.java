package dev.cdioutbox.tests.capture;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** What the scenarios fire. Two with one token are equal. */
@OutboxEvent(type = "capture.noted")
public record Noted(@OutboxKey String key, String token) {}
