package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Its jar has an empty beans.xml. */
@OutboxEvent(destination = "absent")
public record InEmpty(@OutboxKey String id) {}
