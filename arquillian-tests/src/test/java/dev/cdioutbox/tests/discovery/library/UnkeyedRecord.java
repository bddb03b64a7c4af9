package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;

/** A record that would become a bean in its jar with the discovery mode "all". */
@OutboxEvent(type = "unkeyed.record", destination = "absent")
public record UnkeyedRecord() {}
