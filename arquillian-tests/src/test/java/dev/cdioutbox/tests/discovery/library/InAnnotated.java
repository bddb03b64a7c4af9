package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Its jar has the discovery mode "annotated". */
@OutboxEvent(destination = "absent")
public record InAnnotated(@OutboxKey String id) {}
