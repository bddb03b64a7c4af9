package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.UuidV7;

/**
 * Copies a message that is given up for the dead-letter destination of its own destination, with headers that say why, where
 * and when. Ask {@link #isWanted} first.
 */
final class DeadLetterCopy {
    private static final int REASON_LENGTH = 1000;

    private final DeliveryContext context;
    private final String target;

    DeadLetterCopy(DeliveryContext context) {
        this.context = context;
        target = context.ownership().publisher().deadLetter();
    }

    /** Whether the destination has a dead-letter destination. */
    boolean isWanted() {
        return target != null;
    }

    NewMessage ofExpired(OutboxMessage message) {
        return of(message, "expired", message.delivery().attempts());
    }

    NewMessage ofAbandoned(Charge charge) {
        return of(charge.message(), charge.retry().error(), charge.retry().attempts());
    }

    private NewMessage of(OutboxMessage message, String reason, int attempts) {
        Instant now = context.now();
        Map<String, String> headers = new HashMap<>(message.context().headers());
        headers.put("deadLetterReason", context.settlements().columnText().of(reason, REASON_LENGTH));
        headers.put("deadLetterAttempts", String.valueOf(attempts));
        headers.put("deadLetterDestination", message.delivery().destination());
        headers.put("deadLetterCreatedAt", message.createdAt().toString());
        headers.put("deadLetterAt", now.toString());
        return NewMessage.copyOf(message, UuidV7.next(now.toEpochMilli()), target, headers);
    }
}
