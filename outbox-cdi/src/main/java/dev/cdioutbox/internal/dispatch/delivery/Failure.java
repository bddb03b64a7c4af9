package dev.cdioutbox.internal.dispatch.delivery;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;

/** A failed message with the cause. */
record Failure(OutboxMessage message, PublishException cause) {}
