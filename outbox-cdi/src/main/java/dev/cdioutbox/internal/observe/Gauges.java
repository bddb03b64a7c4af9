package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;

/**
 * What was last seen, for a scrape or a health check that never asks the database. Ages grow from the moment of the last
 * look, so that they rise when the dispatcher or the database is dead. Thread-safe.
 */
public final class Gauges implements DispatchListener {
    /** The timer reads every 5 s. */
    private static final double OUTDATED_SECONDS = 30;

    private final LongSupplier nanos;
    private final Map<String, Integer> partitionsHeld = new ConcurrentHashMap<>();
    private final Map<String, Reading> readings = new ConcurrentHashMap<>();
    private final Map<String, InDoubt> inDoubt = new ConcurrentHashMap<>();
    private final Map<String, Look> looks = new ConcurrentHashMap<>();
    private final Map<String, Set<String>> sharedWith = new ConcurrentHashMap<>();
    private final Map<String, Long> expected = new ConcurrentHashMap<>();
    private final AtomicReference<Runnable> onFirstReading = new AtomicReference<>();
    private volatile Long lastTick;

    public Gauges() {
        this(System::nanoTime);
    }

    /**
     * @param nanos a clock that only goes forward
     */
    public Gauges(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** From now on the timer is expected to call. An outbox's tables were looked at when the application was deployed. */
    public void expectTicks(String outbox) {
        lastTick = nanos.getAsLong();
        expected.put(outbox, nanos.getAsLong());
        storeChecked(outbox, null);
    }

    /** Whether this application dispatches at all. */
    public boolean isDispatching() {
        return lastTick != null;
    }

    @Override
    public void ticked() {
        lastTick = nanos.getAsLong();
    }

    @Override
    public void claimed(String destination, int partitions, Duration took) {
        partitionsHeld.merge(destination, partitions, Integer::sum);
    }

    @Override
    public void released(String destination, int partitions) {
        partitionsHeld.merge(destination, -partitions, Integer::sum);
    }

    @Override
    public void inDoubt(String destination, int messages, Duration longest) {
        inDoubt.put(destination, new InDoubt(messages, nanos.getAsLong() - longest.toNanos()));
    }

    /** How many messages of a destination, by its label, this node knows to be in doubt. */
    public int inDoubt(String label) {
        InDoubt found = inDoubt.get(label);
        return found == null ? 0 : found.messages();
    }

    /** For how long the first of them has been known to be in doubt. */
    public double inDoubtSeconds(String label) {
        InDoubt found = inDoubt.get(label);
        return found == null || found.messages() == 0 ? 0 : seconds(nanos.getAsLong() - found.since());
    }

    /** The tables of one outbox were checked. */
    @Override
    public void storeChecked(String outbox, String problem) {
        looks.put(outbox, new Look(problem, nanos.getAsLong()));
    }

    @Override
    public void sharedWith(String outbox, Set<String> modules) {
        sharedWith.put(outbox, Set.copyOf(modules));
    }

    /** Other modules that dispatch the same messages, in their order; empty as long as the rows of the nodes were not read. */
    public List<String> otherModules() {
        return sharedWith.values().stream()
                .flatMap(Set::stream)
                .distinct()
                .sorted()
                .toList();
    }

    /** The backlog of one outbox; what is shown is that of all together. */
    @Override
    public void backlog(String outbox, OutboxBacklog backlog) {
        readings.put(outbox, new Reading(backlog, nanos.getAsLong()));
        runWhenKnown();
    }

    /** Runs an action once, as soon as the backlog is known. Until then, 0 would be a guess. */
    public void whenBacklogIsKnown(Runnable action) {
        onFirstReading.set(action);
        runWhenKnown();
    }

    private void runWhenKnown() {
        Runnable action = isBacklogKnown() ? onFirstReading.getAndSet(null) : null;
        if (action != null) {
            action.run();
        }
    }

    public int pending() {
        return sum(OutboxBacklog::pending);
    }

    public int failed() {
        return sum(OutboxBacklog::failed);
    }

    public int abandoned() {
        return sum(OutboxBacklog::abandoned);
    }

    /** Whether pending and failed messages of an outbox were counted up to the limit only, so that there may be more. */
    public boolean isWaitingCapped() {
        return isAny(backlog -> backlog.pending() + backlog.failed() >= OutboxBacklog.CAP);
    }

    /** As {@link #isWaitingCapped()}, of abandoned messages. */
    public boolean isAbandonedCapped() {
        return isAny(backlog -> backlog.abandoned() >= OutboxBacklog.CAP);
    }

    /** How many destinations an operator paused. */
    public int paused() {
        return sum(backlog -> backlog.paused().size());
    }

    /** Whether the backlog of each outbox was read: the sum of some of them would be green while another one waits. */
    public boolean isBacklogKnown() {
        return !readings.isEmpty() && readings.keySet().containsAll(expected.keySet());
    }

    /** How many partitions this node has claimed at this moment. */
    public int partitionsHeld() {
        return partitionsHeld.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** How many partitions of a destination, by its label, this node has claimed at this moment. */
    public int partitionsHeld(String label) {
        return partitionsHeld.getOrDefault(label, 0);
    }

    /** As {@link #oldestPendingAgeSeconds()}, of one destination of an outbox. */
    public double oldestPendingAgeSeconds(String outbox, String destination) {
        Reading reading = readings.get(outbox);
        return reading == null
                ? 0
                : reading.ageSeconds(reading.backlog().oldestOf().get(destination), nanos.getAsLong());
    }

    /** Whether nothing is sent to a destination of an outbox because an operator paused it, or all. */
    public boolean isPaused(String outbox, String destination) {
        Reading reading = readings.get(outbox);
        return reading != null && reading.backlog().isPaused(destination);
    }

    /** What was wrong with the tables when they were last looked at; null if there was none, or the tables were not checked yet. */
    public String storeProblem() {
        return looks.values().stream()
                .map(Look::problem)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** How long ago the tables were last looked at: for long, if the database does not answer. */
    public double lastTableCheckAgeSeconds() {
        long now = nanos.getAsLong();
        return looks.values().stream()
                .mapToDouble(look -> seconds(now - look.nanos()))
                .max()
                .orElse(Double.POSITIVE_INFINITY);
    }

    /**
     * How long ago the outbox of which that is longest was read by the dispatcher: for long, if its database does not answer.
     * Zero where nothing dispatches.
     */
    public double lastReadingAgeSeconds() {
        long now = nanos.getAsLong();
        return expected.entrySet().stream()
                .mapToDouble(outbox -> seconds(now - lastReading(outbox.getKey(), outbox.getValue())))
                .max()
                .orElse(0);
    }

    private long lastReading(String outbox, long otherwise) {
        Reading reading = readings.get(outbox);
        return reading == null ? otherwise : reading.nanos();
    }

    /**
     * Where nothing waited when that was read long ago, what came since can be as old as the reading; and where the
     * dispatcher could never read, as old as its start.
     */
    public double oldestPendingAgeSeconds() {
        long now = nanos.getAsLong();
        double read = readings.values().stream()
                .mapToDouble(reading -> reading.ageSeconds(reading.backlog().oldest(), now))
                .max()
                .orElse(0);
        double neverRead = expected.entrySet().stream()
                .filter(outbox -> !readings.containsKey(outbox.getKey()))
                .mapToDouble(outbox -> unreadSeconds(seconds(now - outbox.getValue())))
                .max()
                .orElse(0);
        return Math.max(read, neverRead);
    }

    private static double unreadSeconds(double unread) {
        return unread < OUTDATED_SECONDS ? 0 : unread;
    }

    private int sum(ToIntFunction<OutboxBacklog> what) {
        return readings.values().stream().map(Reading::backlog).mapToInt(what).sum();
    }

    private boolean isAny(Predicate<OutboxBacklog> what) {
        return readings.values().stream().map(Reading::backlog).anyMatch(what);
    }

    public double lastTickAgeSeconds() {
        Long last = lastTick;
        return last == null ? 0 : seconds(nanos.getAsLong() - last);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private record Reading(OutboxBacklog backlog, long nanos) {
        double ageSeconds(Instant oldest, long now) {
            double unread = seconds(now - nanos);
            if (oldest == null) {
                return unreadSeconds(unread);
            }
            Duration atReading = Duration.between(oldest, backlog.readAt());
            return Math.max(0, seconds(atReading.toNanos()) + unread);
        }
    }

    private record InDoubt(int messages, long since) {}

    private record Look(String problem, long nanos) {}
}
