package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.OperatorStore.Change;

/** The oldest waiting message, if it has waited for a while: its wait reason shows why nothing moves. */
final class OldestMessage {
    private static final Duration LONG = Duration.ofMinutes(1);

    private static final int LOOKED_AT = 10;

    private final SelectedOutbox selected;
    private final OutboxBacklog backlog;

    OldestMessage(SelectedOutbox selected, OutboxBacklog backlog) {
        this.selected = selected;
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
        return selected.operations().page(then).messages().stream().findFirst().or(this::lowest);
    }

    /** A requeued or released message is younger than its row. In a large backlog one of many is returned. */
    private Optional<OutboxMessage> lowest() {
        if (backlog.pending() + backlog.failed() >= OutboxBacklog.CAP) {
            return Optional.empty();
        }
        OutboxFilter waiting = OutboxFilter.all()
                .withStatus(OutboxStatus.PENDING, OutboxStatus.FAILED)
                .withLimit(LOOKED_AT);
        return selected.operatorStore().changeCandidates(Change.DISCARD, waiting).stream()
                .flatMap(found -> selected.operations().find(waiting.withSequence(found.sequence())).stream())
                .filter(message -> !isDelayed(message))
                .findFirst();
    }

    private boolean isDelayed(OutboxMessage message) {
        Instant time = message.terms().notBefore();
        return time != null && time.isAfter(backlog.readAt());
    }
}
