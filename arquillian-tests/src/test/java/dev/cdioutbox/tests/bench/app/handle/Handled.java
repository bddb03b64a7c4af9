package dev.cdioutbox.tests.bench.app.handle;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event for {@link HandledWork} alone. Its text begins with its number. */
@OutboxEvent(destination = "local")
public record Handled(@OutboxKey String account, String text) {}
