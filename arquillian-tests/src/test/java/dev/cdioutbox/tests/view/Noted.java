package dev.cdioutbox.tests.view;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Stays pending in the outbox. */
@OutboxEvent(destination = "absent")
public record Noted(@OutboxKey String id) {}
