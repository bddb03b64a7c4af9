package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** In a jar whose beans.xml says annotated. */
@OutboxEvent(destination = "absent")
public record InAnnotated(@OutboxKey String id) {}
