package dev.cdioutbox.tests.discovery.library;

import dev.cdioutbox.OutboxEvent;

/** With its constructor without parameters, the class would become a bean in its jar with the discovery mode "all". */
@OutboxEvent(type = "unkeyed", destination = "absent")
public class Unkeyed {}
