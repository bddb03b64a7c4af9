package dev.cdioutbox.tests.discovery;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An interface with the annotation; its implementations are events. */
@OutboxEvent(type = "moved", destination = "absent")
public interface Moved {

    @OutboxKey
    String id();

    /** An implementation without annotations. */
    record ByShip(String id) implements Moved {}
}
