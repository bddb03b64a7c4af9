package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;

/** The message that has waited for longest, once that is no matter of moments: where nothing moves, it tells why. */
final class Oldest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Desk desk;
    private final OutboxBacklog backlog;

    Oldest(Desk desk, OutboxBacklog backlog) {
        this.desk = desk;
        this.backlog = backlog;
    }

    /** Looks at a bounded number of rows; empty if nothing waits for long, or it is gone meanwhile. */
    Optional<OutboxMessage> message() {
        Instant stored = backlog.oldest();
        if (stored == null || Duration.between(stored, backlog.readAt()).compareTo(LONG) < 0) {
            return Optional.empty();
        }
        OutboxFilter then = OutboxFilter.all()
                .withStatus(OutboxStatus.PENDING, OutboxStatus.FAILED)
                .withCreated(stored, stored.plusMillis(1))
                .withLimit(1);
        return desk.operations().page(then).messages().stream().findFirst();
    }
}
