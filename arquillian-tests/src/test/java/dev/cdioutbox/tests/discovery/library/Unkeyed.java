package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;

/** What the container would make a bean of, in a jar whose beans.xml says all: it has a constructor without parameters. */
@OutboxEvent(type = "unkeyed", destination = "absent")
public class Unkeyed {}
