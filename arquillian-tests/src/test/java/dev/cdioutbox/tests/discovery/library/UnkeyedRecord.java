package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;

/** A record that the container would make a bean of, in a jar whose beans.xml says all. */
@OutboxEvent(type = "unkeyed.record", destination = "absent")
public record UnkeyedRecord() {}
