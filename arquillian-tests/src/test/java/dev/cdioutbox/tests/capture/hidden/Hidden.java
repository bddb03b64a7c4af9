package dev.cdioutbox.tests.capture.hidden;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** In a jar whose beans.xml says that there is nothing to discover, so no extension ever hears of it. */
@OutboxEvent(type = "capture.hidden")
public record Hidden(@OutboxKey String key, String token) {}
