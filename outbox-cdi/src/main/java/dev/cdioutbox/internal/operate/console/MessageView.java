package dev.cdioutbox.internal.operate.console;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.OutboxStatus;

/** A message for the page. In a list the payload is empty. Public, as JSON-B needs it. */
public record MessageView(
        UUID id,
        long sequence,
        String type,
        int version,
        String key,
        String aggregateType,
        String contentType,
        String payload,
        int bytes,
        String correlationId,
        String causationId,
        String tenantId,
        Map<String, String> headers,
        Instant notBefore,
        Instant expiresAt,
        Integer priority,
        String destination,
        OutboxStatus status,
        int attempts,
        Instant lastAttemptAt,
        String lastError,
        Instant publishedAt,
        Instant occurredAt,
        Instant createdAt) {

    static MessageView of(OutboxMessage message) {
        return new MessageView(
                message.id(),
                message.sequence(),
                message.event().type(),
                message.event().version(),
                message.event().key(),
                message.event().aggregateType(),
                message.body().contentType(),
                message.body().text(),
                message.body().bytes(),
                message.context().correlationId(),
                message.context().causationId(),
                message.context().tenantId(),
                message.context().headers(),
                message.terms().notBefore(),
                message.terms().expiresAt(),
                message.terms().priority(),
                message.delivery().destination(),
                message.delivery().status(),
                message.delivery().attempts(),
                message.delivery().lastAttemptAt(),
                message.delivery().lastError(),
                message.delivery().publishedAt(),
                message.occurredAt(),
                message.createdAt());
    }

    /**
     * One message with its history.
     *
     * @param why the reason why the message waits; null if it does not wait
     */
    public record Details(String outbox, MessageView message, String why, List<OutboxAuditEntry> audit) {}

    /** @param next the sequence below which the next page begins; null on the last page */
    public record Page(List<MessageView> messages, List<Unreadable> unreadable, Long next) {

        static Page of(OutboxPage page) {
            return new Page(
                    page.messages().stream().map(MessageView::of).toList(),
                    page.unreadable().entrySet().stream()
                            .map(row -> new Unreadable(row.getKey(), row.getValue()))
                            .sorted(Comparator.comparing(Unreadable::sequence).reversed())
                            .toList(),
                    page.next());
        }
    }

    /** A row that the outbox cannot read. */
    public record Unreadable(long sequence, String problem) {}
}
