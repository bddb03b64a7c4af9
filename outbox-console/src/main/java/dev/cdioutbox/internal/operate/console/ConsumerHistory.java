package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.consume.ConsumerListener;
import org.jspecify.annotations.Nullable;

/**
 * The failures of the consumers on this node since its start: the reasons, which no broker keeps, of the last messages that
 * failed.
 */
@ApplicationScoped
public class ConsumerHistory implements ConsumerListener {
    /** In messages. Each has a reason in memory. */
    private static final int KEPT = 500;

    private static final Duration RECENT = Duration.ofMinutes(5);

    private static final String ERASED = "the message was erased, and its error text with it";

    private final Map<String, Consumer> consumers = new TreeMap<>();
    /** By consumer and message, the latest last. */
    private final Map<List<String>, ConsumerFailure> failures = new LinkedHashMap<>();

    @Override
    public synchronized void begins(String consumer) {
        consumers.putIfAbsent(consumer, new Consumer(consumer, 0, 0, false, null));
    }

    @Override
    public synchronized void redelivered(String consumer, ConsumedMessage message) {
        begins(consumer);
        consumers.computeIfPresent(
                consumer, (name, was) -> new Consumer(name, was.failures, was.redeliveries + 1, false, was.last));
    }

    @Override
    public synchronized void failed(String consumer, ConsumedMessage message, Throwable cause) {
        begins(consumer);
        List<String> key = List.of(consumer, String.valueOf(message.id()));
        ConsumerFailure before = failures.remove(key);
        ConsumerFailure now = new ConsumerFailure(
                consumer,
                message.id(),
                before == null ? 1 : before.times + 1,
                Instant.now(),
                cause == null
                        ? "its transaction was rolled back, though the consumer threw no exception. Most likely its commit"
                                + " failed, for example at a constraint of the database; the server's log has the cause"
                                + " (on Open Liberty WTRN0074E)"
                        : FailureReason.of(cause));
        failures.put(key, now);
        if (failures.size() > KEPT) {
            failures.remove(failures.keySet().iterator().next());
        }
        consumers.computeIfPresent(
                consumer, (name, was) -> new Consumer(name, was.failures + 1, was.redeliveries, false, now));
    }

    /** The text of a failure may quote the message. */
    @Override
    public synchronized void erased(Collection<String> messages) {
        failures.replaceAll((key, failure) -> forgotten(failure, messages));
        consumers.replaceAll((name, was) ->
                new Consumer(name, was.failures, was.redeliveries, false, forgotten(was.last, messages)));
    }

    private static ConsumerFailure forgotten(ConsumerFailure failure, Collection<String> messages) {
        return failure == null || failure.message == null || !messages.contains(failure.message)
                ? failure
                : new ConsumerFailure(failure.consumer, failure.message, failure.times, failure.at, ERASED);
    }

    /** By name. */
    synchronized List<Consumer> consumers() {
        Instant recent = Instant.now().minus(RECENT);
        return consumers.values().stream()
                .map(known -> new Consumer(
                        known.name,
                        known.failures,
                        known.redeliveries,
                        known.last != null && known.last.at.isAfter(recent),
                        known.last))
                .toList();
    }

    /** The failures with one message, the latest last. */
    synchronized List<ConsumerFailure> failures(String message) {
        return failures.values().stream()
                .filter(failure -> message.equals(failure.message))
                .toList();
    }

    /**
     * A consumer of the application. Public, as JSON-B needs it.
     *
     * @param failing whether it failed in the last minutes
     * @param last null if it has not failed
     */
    public record Consumer(
            String name,
            long failures,
            long redeliveries,
            boolean failing,
            @Nullable ConsumerFailure last) {}

    /**
     * A consumer's failures with one message.
     *
     * @param message its id; null if it has none
     * @param at the last time
     */
    public record ConsumerFailure(String consumer, @Nullable String message, int times, Instant at, String reason) {}
}
