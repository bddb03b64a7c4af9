package dev.cdioutbox.internal.observe.log;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.FailureTrace;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.consume.ConsumerListener;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;

/**
 * Logs the life of a message: one line for each step, with fields for log collectors, without the payload. Steps of
 * every message are logged at FINE, so that a busy system is quiet. Steps that need an operator have a higher level.
 */
@ApplicationScoped
public class MessageLog implements DispatchListener, ConsumerListener {
    private static final Logger LOG = Logger.getLogger("dev.cdioutbox.message");

    @Inject
    Outboxes outboxes;

    private final LongSupplier nanos;
    /** By the names of the consumers. */
    private final RepeatedLine.OfEach<String> duplicates = new RepeatedLine.OfEach<>();

    private final LoggedTraces traces = new LoggedTraces();

    public MessageLog() {
        this(System::nanoTime);
    }

    /** @param nanos a monotonic clock in nanoseconds */
    MessageLog(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Creates this bean at the start, with or without a dispatcher, so that it logs the first event. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {}

    @PostConstruct
    void listen() {
        outboxes.all().forEach(outbox -> outbox.captured().add(messages -> captured(outbox, messages)));
    }

    private static void captured(OutboxInstance outbox, List<NewMessage> messages) {
        if (LOG.isLoggable(Level.FINE)) {
            for (NewMessage message : messages) {
                String correlation = message.context().correlationId();
                Fields fields =
                        Fields.of("created", message.id(), message.event().type(), correlation);
                write(Level.FINE, null, fields.and("destination", outbox.destinationId(message.destination())));
            }
        }
    }

    @Override
    public void published(DestinationId destination, List<OutboxMessage> messages, Instant at, Duration took) {
        if (LOG.isLoggable(Level.FINE)) {
            messages.forEach(message -> write(Level.FINE, null, fields("published", destination, message, at)));
        }
    }

    @Override
    public void charged(DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
        boolean isAbandoned = retry.status() == OutboxStatus.ABANDONED;
        String text = isAbandoned
                ? text(OutboxCode.MESSAGE_ABANDONED, destination, message, retry.attempts())
                : text(OutboxCode.MESSAGE_RETRIED, destination, message, retry.delay());
        Fields fields = fields(isAbandoned ? "abandoned" : "failed", destination, message, retry.attempts(), at);
        FailureTrace trace = FailureTrace.of(cause);
        fields.and("error_message", retry.error())
                .and("error_trace_id", trace.id())
                .and("error_trace", traces.isDue(trace.id(), nanos.getAsLong()) ? trace.inOneLine() : null);
        write(isAbandoned ? Level.SEVERE : Level.WARNING, text, fields);
    }

    @Override
    public void expired(DestinationId destination, OutboxMessage message) {
        Instant end = message.terms().expiresAt();
        String text = text(OutboxCode.MESSAGE_EXPIRED, destination, message, end);
        write(Level.WARNING, text, fields("expired", destination, message, null));
    }

    @Override
    public void discardedTooLate(DestinationId destination, OutboxMessage message) {
        String text = text(OutboxCode.SENT_BEFORE_DISCARD, destination, message, null);
        write(Level.WARNING, text, fields("discarded_too_late", destination, message, null));
    }

    @Override
    public void skippedDuplicate(String consumer, ConsumedMessage message) {
        int due = duplicates.due(consumer, nanos.getAsLong());
        write(
                due > 0 ? Level.INFO : Level.FINE,
                due > 0 ? OutboxCode.DUPLICATE_SKIPPED.text(consumer, Fields.quoted(message.id()), due) : null,
                fields("skipped_duplicate", consumer, message));
    }

    @Override
    public void skippedStale(String consumer, ConsumedMessage message, String key, long sequence) {
        write(
                Level.WARNING,
                OutboxCode.MESSAGE_OVERTAKEN.text(consumer, Fields.quoted(message.id()), Fields.quoted(key), sequence),
                fields("skipped_stale", consumer, message));
    }

    /** @param detail the last argument of the problem's text; null if it has four only */
    private static String text(OutboxCode problem, DestinationId destination, OutboxMessage message, Object detail) {
        String key = Fields.quoted(message.event().key());
        return problem.text(message.id(), message.event().type(), key, destination, detail);
    }

    private static Fields fields(String action, DestinationId destination, OutboxMessage message, Instant at) {
        return fields(action, destination, message, message.delivery().attempts(), at);
    }

    private static Fields fields(
            String action, DestinationId destination, OutboxMessage message, int retries, Instant at) {
        Long duration =
                at == null ? null : Duration.between(message.createdAt(), at).toMillis();
        String correlation = message.context().correlationId();
        return Fields.of(action, message.id(), message.event().type(), correlation)
                .and("destination", destination)
                .and("retry_count", retries)
                .and("duration_ms", duration);
    }

    private static Fields fields(String action, String consumer, ConsumedMessage message) {
        return Fields.of(action, message.id(), message.eventType(), message.correlationId())
                .and("consumer", consumer);
    }

    private static void write(Level level, String text, Fields fields) {
        // No parameters: the logger would interpret braces in a text.
        fields.during(() -> LOG.log(level, text == null ? fields.toString() : text + " " + fields));
    }
}
