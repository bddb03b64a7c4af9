package dev.cdioutbox.tests.container;

import dev.cdioutbox.OutboxEvent;

/** JSON-B calls its getter, which never ends well. */
@OutboxEvent
public class Unwritable {

    public String getText() {
        throw new IllegalStateException("no text today");
    }
}
