package dev.cdioutbox.internal.operate.console;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureTrace;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;
import org.jspecify.annotations.Nullable;

/**
 * Where the last messages failed that were charged on this node. Equal traces are kept once. In memory, because the table would
 * need a purge for what is of use for a day, and the log has it as well.
 */
@ApplicationScoped
public class FailureTraces implements DispatchListener {
    /** In messages. */
    static final int KEPT = 500;

    /** By the ids of their messages, the latest last. */
    private final Map<String, Failed> failures = new LinkedHashMap<>();

    @Override
    public synchronized void charged(
            DestinationId destination, OutboxMessage message, Retry retry, Instant at, Throwable cause) {
        FailureTrace trace = FailureTrace.of(cause);
        failures.remove(message.id().toString());
        failures.put(message.id().toString(), new Failed(at, kept(trace)));
        if (failures.size() > KEPT) {
            failures.remove(failures.keySet().iterator().next());
        }
    }

    private FailureTrace kept(FailureTrace trace) {
        return failures.values().stream()
                .map(Failed::trace)
                .filter(trace::equals)
                .findFirst()
                .orElse(trace);
    }

    /** The last failure of a message on this node; null if it is not known. */
    synchronized @Nullable Trace of(String message) {
        Failed failed = failures.get(message);
        return failed == null
                ? null
                : new Trace(failed.trace.id(), failed.at, failed.trace.text(), (int) failures.values().stream()
                        .filter(other -> other.trace == failed.trace)
                        .count());
    }

    private record Failed(Instant at, FailureTrace trace) {}

    /**
     * Where a message failed. Public, as JSON-B needs it.
     *
     * @param id as the log has it
     * @param at by the clock of the database
     * @param messages how many of the last messages failed there, with this one
     */
    public record Trace(String id, Instant at, String text, int messages) {}
}
