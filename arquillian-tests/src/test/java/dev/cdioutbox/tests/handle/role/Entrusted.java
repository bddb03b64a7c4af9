package dev.cdioutbox.tests.handle.role;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent(destination = "local")
public record Entrusted(@OutboxKey String thing) {}
