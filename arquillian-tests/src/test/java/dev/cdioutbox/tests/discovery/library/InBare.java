package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** In a jar without beans.xml. */
@OutboxEvent(destination = "absent")
public record InBare(@OutboxKey String id) {}
