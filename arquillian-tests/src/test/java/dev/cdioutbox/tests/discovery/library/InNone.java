package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Its jar has the discovery mode "none", so no extension sees the class. */
@OutboxEvent(destination = "absent")
public record InNone(@OutboxKey String id) {}
