package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** In a jar whose beans.xml says none: the container never shows it to the extension. */
@OutboxEvent(destination = "absent")
public record InNone(@OutboxKey String id) {}
