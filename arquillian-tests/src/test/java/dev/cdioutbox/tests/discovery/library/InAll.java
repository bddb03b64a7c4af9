package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Its jar has the discovery mode "all". */
@OutboxEvent(destination = "absent")
public record InAll(@OutboxKey String id) {}
