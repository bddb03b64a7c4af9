package dev.cdioutbox.internal.store;

import dev.cdioutbox.operate.OutboxPage;

/** The values of a row that cannot be read as a message. Public, as JSON-B needs it for the console. */
public record UnreadableRow(
        long sequence, String id, String status, String type, String key, String destination, String problem)
        implements OutboxPage.Unreadable {}
