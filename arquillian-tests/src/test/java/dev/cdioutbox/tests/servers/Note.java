package dev.cdioutbox.tests.servers;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event of {@link NoteBook}. */
@OutboxEvent
public record Note(@OutboxKey String id) {}
