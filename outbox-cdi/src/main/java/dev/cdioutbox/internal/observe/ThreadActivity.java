package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.internal.dispatch.listener.DispatchListener;

/**
 * The activity of the threads of each destination on this node. A hanging send neither fails nor logs. Only a long
 * silence between the begin and the end of a run reveals a hanging thread. Thread-safe.
 */
@ApplicationScoped
public class ThreadActivity implements DispatchListener {
    private final LongSupplier nanos;
    private final Map<At, Long> lastSigns = new ConcurrentHashMap<>();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();

    public ThreadActivity() {
        this(System::nanoTime);
    }

    /** @param nanos a monotonic clock in nanoseconds */
    public ThreadActivity(LongSupplier nanos) {
        this.nanos = nanos;
    }

    @Override
    public void began(String destination) {
        failures.putIfAbsent(destination, 0);
        lastSigns.put(here(destination), nanos.getAsLong());
    }

    @Override
    public void claimed(String destination, int partitions, Duration took) {
        signOfLife(destination);
    }

    @Override
    public void released(String destination, int partitions) {
        signOfLife(destination);
    }

    @Override
    public void ended(String destination, int consecutiveFailures) {
        lastSigns.remove(here(destination));
        failures.put(destination, consecutiveFailures);
    }

    /** The destinations with a run since the start. */
    public Set<String> destinations() {
        return new TreeSet<>(failures.keySet());
    }

    /** The number of consecutive failed runs. */
    public int failures(String destination) {
        return failures.getOrDefault(destination, 0);
    }

    /** The longest time that a thread has waited for the broker or the database; zero without a running thread. */
    public Duration silence(String destination) {
        long now = nanos.getAsLong();
        return Duration.ofNanos(lastSigns.entrySet().stream()
                .filter(sign -> sign.getKey().destination().equals(destination))
                .mapToLong(sign -> now - sign.getValue())
                .max()
                .orElse(0));
    }

    private void signOfLife(String destination) {
        lastSigns.computeIfPresent(here(destination), (at, before) -> nanos.getAsLong());
    }

    private static At here(String destination) {
        return new At(destination, Thread.currentThread().getId());
    }

    private record At(String destination, long thread) {}
}
