package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** In a jar whose beans.xml says all. */
@OutboxEvent(destination = "absent")
public record InAll(@OutboxKey String id) {}
