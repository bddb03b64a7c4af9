package dev.cdioutbox.internal.store;

import java.time.Instant;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage.Body;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.OutboxMessage.Event;

/** A captured event for one destination, before it is stored. */
public record NewMessage(UUID id, Event event, Body body, Context context, String destination, Instant occurredAt) {}
