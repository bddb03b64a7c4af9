package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Its jar has no beans.xml. */
@OutboxEvent(destination = "absent")
public record InBare(@OutboxKey String id) {}
