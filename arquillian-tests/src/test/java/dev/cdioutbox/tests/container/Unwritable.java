package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;

/** JSON-B fails to serialize this class: its getter throws. */
@OutboxEvent
public class Unwritable {

    public String getText() {
        throw new IllegalStateException("no text today");
    }
}
