package dev.cdioutbox.tests.backfill;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** The next event of its key. */
@OutboxEvent(type = "counted")
public record Counted(@OutboxKey String key, int number) {}
