package dev.cdioutbox.tests.handle;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** @param trouble what happens in the handlers; empty for nothing */
@OutboxEvent
public record Placed(@OutboxKey String order, int step, String trouble) {}
