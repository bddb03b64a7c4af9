package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.CaptureListener;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;

/** The messages captured, published and failed on this node in the last quarter of an hour, for the chart. */
@ApplicationScoped
public class ThroughputHistory implements DispatchListener, CaptureListener {
    private static final long EVERY = Duration.ofSeconds(5).toNanos();
    private static final int KEPT = 181;

    @Inject
    Gauges gauges;

    @Inject
    Outboxes outboxes;

    private final LongAdder captured = new LongAdder();
    private final LongAdder published = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long last;

    /** Creates this bean at the start, so that it counts the first event. */
    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {}

    @PostConstruct
    void listen() {
        last = System.nanoTime() - EVERY;
        outboxes.all().forEach(outbox -> outbox.captured().add(this));
    }

    /** The oldest first. */
    List<Sample> samples() {
        synchronized (samples) {
            return List.copyOf(samples);
        }
    }

    @Override
    public void captured(List<NewMessage> messages) {
        captured.add(messages.size());
    }

    @Override
    public void published(DestinationId destination, List<OutboxMessage> messages, Instant at, Duration took) {
        published.add(messages.size());
    }

    @Override
    public void failed(DestinationId destination, int messages, Throwable cause) {
        failures.add(messages);
    }

    @Override
    public void charged(DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
        failures.increment();
    }

    @Override
    public void unreadable(DestinationId destination, long sequence, String problem) {
        failures.increment();
    }

    @Override
    public void ticked() {
        synchronized (samples) {
            long now = System.nanoTime();
            if (now - last >= EVERY) {
                last = now;
                double oldest = gauges.oldestPendingAgeSeconds();
                samples.add(new Sample(Instant.now(), captured.sum(), published.sum(), failures.sum(), oldest));
                if (samples.size() > KEPT) {
                    samples.remove();
                }
            }
        }
    }

    /**
     * The counts of this node at a moment. Public, as JSON-B needs it.
     *
     * @param ageSeconds the age of the oldest due message
     */
    public record Sample(Instant at, long captured, long published, long failures, double ageSeconds) {}
}
