package dev.cdioutbox.tests.discovery;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event by its interface. */
@OutboxEvent(type = "moved", destination = "absent")
public interface Moved {

    @OutboxKey
    String id();

    /** Says nothing of its own. */
    record ByShip(String id) implements Moved {}
}
