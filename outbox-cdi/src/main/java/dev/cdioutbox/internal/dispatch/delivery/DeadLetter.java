package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.UuidV7;

/**
 * Makes the message for a dead-letter destination: a copy of one that was given up, with headers that say why and when.
 * Pure functions but for the id.
 */
final class DeadLetter {
    private static final int REASON_LENGTH = 1000;

    private DeadLetter() {}

    static NewMessage of(OutboxMessage message, Retry abandoned, Instant now, String target) {
        return of(message, abandoned.error(), abandoned.attempts(), now, target);
    }

    static NewMessage ofExpired(OutboxMessage message, Instant now, String target) {
        return of(message, "expired", message.delivery().attempts(), now, target);
    }

    private static NewMessage of(OutboxMessage message, String reason, int attempts, Instant now, String target) {
        Map<String, String> headers = new HashMap<>(message.context().headers());
        headers.put("deadLetterReason", ColumnText.truncated(ColumnText.printable(reason), REASON_LENGTH));
        headers.put("deadLetterAttempts", String.valueOf(attempts));
        headers.put("deadLetterDestination", message.delivery().destination());
        headers.put("deadLetterCreatedAt", message.createdAt().toString());
        headers.put("deadLetterAt", now.toString());
        return NewMessage.copyOf(message, UuidV7.next(now.toEpochMilli()), target, headers);
    }
}
