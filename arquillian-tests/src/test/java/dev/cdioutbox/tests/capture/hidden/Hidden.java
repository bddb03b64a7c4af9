package dev.cdioutbox.tests.capture.hidden;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** Its jar has the discovery mode "none", so no extension sees the class. */
@OutboxEvent(type = "capture.hidden")
public record Hidden(@OutboxKey String key, String token) {}
