package dev.cdioutbox.tests.handle;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent(destination = "local")
public record Shipped(@OutboxKey String order) {}
