package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Typed;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.dispatch.FailureLog;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.dispatch.listener.SlotReading;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.spi.DestinationId;

/**
 * What this node knows of its outboxes and destinations, kept in memory so that a scrape or a health check never queries the
 * database. Ages are those of the last reading, and rise with its own age once that is outdated, because the dispatcher or the
 * database is dead. Thread-safe.
 */
@ApplicationScoped
@Typed(Gauges.class)
public class Gauges implements DispatchListener {
    /** In seconds: three periods of the timers, which read every 10 s. */
    private static final double OUTDATED_SECONDS = 30;

    private static final String NOT_COUNTED =
            "this node has not counted its letters for half a minute or more, because a call to a broker hangs, or because this"
                    + " application has no dispatcher";

    @Inject
    @Any
    Instance<DispatchListener> others;

    private final LongSupplier nanos;
    private final Map<String, String> nodes = new ConcurrentHashMap<>();
    private final Map<String, Reading> readings = new ConcurrentHashMap<>();
    private final Map<String, Look> looks = new ConcurrentHashMap<>();
    private final Map<String, Blocked> blocked = new ConcurrentHashMap<>();
    private final Map<String, SlotReading> slots = new ConcurrentHashMap<>();
    private final Map<DestinationId, DestinationState> destinations = new ConcurrentHashMap<>();

    /** What the last look at a queue of consumers' dead letters has found. */
    private final Map<DeadLetterQueue, Counted> deadLetters = new ConcurrentHashMap<>();

    /** When this node began to wait for its first look at a queue. */
    private final long began;

    private volatile Long lastTick;

    public Gauges() {
        this(System::nanoTime);
    }

    /** @param nanos a monotonic clock in nanoseconds */
    public Gauges(LongSupplier nanos) {
        this.nanos = nanos;
        began = nanos.getAsLong();
    }

    /**
     * Finds the listeners of an outbox whose platform feature is present. Call this when its dispatch begins.
     *
     * @param node the node id of this process
     */
    public List<DispatchListener> listeners(OutboxInstance outbox, String node) {
        nodes.put(outbox.name(), node);
        // The tables are there.
        storeChecked(outbox.name(), null);
        // The gauges come first: other listeners read them.
        List<DispatchListener> all = new ArrayList<>(List.of(this));
        others.forEach(all::add);
        return all;
    }

    /** The node id of this process for an outbox; null if it does not dispatch for this outbox. */
    public String node(String outbox) {
        return nodes.get(outbox);
    }

    /** Expects ticks of the timer and readings of an outbox from now on, whether or not its tables are there. */
    public void expectTicks(String outbox) {
        lastTick = nanos.getAsLong();
        readings.put(outbox, new Reading(null, nanos.getAsLong()));
    }

    /** Whether this application has a timer for this outbox, which reads its tables if they are there. */
    public boolean isDispatching(String outbox) {
        return readings.containsKey(outbox);
    }

    @Override
    public void ticked() {
        lastTick = nanos.getAsLong();
    }

    private DestinationState of(DestinationId id) {
        return destinations.computeIfAbsent(id, any -> new DestinationState(nanos));
    }

    /** The destinations with a run since the start, in the order of their texts. */
    public Map<DestinationId, DestinationState> destinations() {
        Map<DestinationId, DestinationState> sorted = new TreeMap<>(Comparator.comparing(DestinationId::toString));
        sorted.putAll(destinations);
        return sorted;
    }

    /** The present state of a destination; an empty one before its first run. */
    public DestinationState destination(DestinationId id) {
        return destinations.getOrDefault(id, new DestinationState(nanos));
    }

    @Override
    public void began(DestinationId destination) {
        of(destination).began();
    }

    @Override
    public void claimed(DestinationId destination, int partitions, Duration took) {
        of(destination).holds(partitions);
    }

    @Override
    public void released(DestinationId destination, int partitions) {
        of(destination).holds(-partitions);
    }

    @Override
    public void ended(DestinationId destination) {
        of(destination).ended();
    }

    @Override
    public void failed(DestinationId destination, int messages, Throwable cause) {
        of(destination).failed(FailureReason.of(cause));
    }

    /** A run may fail outside of a batch, for example at the claim. */
    @Override
    public void runFailed(DestinationId destination, int failures, Throwable cause) {
        of(destination).runFailed(failures, FailureReason.of(cause), FailureLog.finding(destination, cause));
    }

    @Override
    public void recovered(DestinationId destination, int failures) {
        of(destination).recovered();
    }

    @Override
    public void held(DestinationId destination, Finding finding, BooleanSupplier isOver) {
        of(destination).held(finding, isOver);
    }

    @Override
    public void inDoubt(DestinationId destination, int messages, Duration longest) {
        of(destination).inDoubt(messages, longest);
    }

    @Override
    public void heldBack(DestinationId destination) {
        of(destination).heldBack();
    }

    @Override
    public void keysInDoubt(DestinationId destination, HeldUpKeys keys) {
        of(destination).keysInDoubt(keys);
    }

    @Override
    public void keysBlocked(String outbox, Map<String, HeldUpKeys> keys) {
        blocked.put(outbox, new Blocked(Map.copyOf(keys), nanos.getAsLong()));
    }

    /** The blocked keys of a destination, with a time that grows since the last reading. */
    public HeldUpKeys blockedKeys(DestinationId id) {
        Blocked last = blocked.get(id.outbox());
        HeldUpKeys keys = last == null ? null : last.keys().get(id.name());
        return keys == null
                ? HeldUpKeys.NONE
                : new HeldUpKeys(
                        keys.keys(), keys.followers(), keys.longest().plusNanos(nanos.getAsLong() - last.nanos()));
    }

    @Override
    public void guaranteeReported(DestinationId destination, GuaranteeReport guarantee) {
        of(destination).reported(guarantee);
    }

    /** Reports a check of the tables of one outbox. */
    @Override
    public void storeChecked(String outbox, String problem) {
        looks.put(outbox, new Look(problem, nanos.getAsLong()));
    }

    @Override
    public void slotRead(String outbox, List<DestinationId> captured, SlotReading slot) {
        slots.put(outbox, slot);
        for (DestinationId destination : captured) {
            DestinationState state = of(destination);
            if (slot.finding() == null) {
                state.recovered();
            } else {
                state.runFailed(0, slot.finding().toString(), slot.finding());
            }
        }
    }

    /** The last reading of the slot of an outbox; null before the first one. */
    public SlotReading slot(String outbox) {
        return slots.get(outbox);
    }

    /** The highest value among the slots of all outboxes. */
    double slots(ToDoubleFunction<SlotReading> what) {
        return slots.values().stream().mapToDouble(what).max().orElse(0);
    }

    /** Reports the backlog of one outbox; the gauges show the sum of all outboxes. */
    @Override
    public void backlog(String outbox, OutboxBacklog backlog) {
        readings.put(outbox, new Reading(backlog, nanos.getAsLong()));
    }

    /**
     * Reports a look at a queue of consumers' dead letters.
     *
     * @return what the look before has found; empty if this is the first one
     */
    public Optional<DeadLetterCount> deadLettersCounted(DeadLetterQueue queue, DeadLetterCount count) {
        return Optional.ofNullable(deadLetters.put(queue, new Counted(count, nanos.getAsLong())))
                .map(Counted::count);
    }

    /** What is known of a queue of consumers' dead letters: nothing once the last look is outdated, since a call may hang. */
    public DeadLetterCount deadLetters(DeadLetterQueue queue) {
        Counted last = deadLetters.getOrDefault(queue, new Counted(DeadLetterCount.UNKNOWN, began));
        return seconds(nanos.getAsLong() - last.nanos()) < OUTDATED_SECONDS
                ? last.count()
                : new DeadLetterCount(
                        null, OutboxCode.DEAD_LETTERS_UNAVAILABLE.finding(queue.label(), NOT_COUNTED, queue.key()));
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

    /** The number of paused destinations. */
    public int paused() {
        return sum(backlog -> backlog.paused().size());
    }

    /**
     * Whether the backlog of every outbox that this application dispatches was read: a partial sum could hide the backlog of
     * another outbox.
     */
    public boolean isBacklogKnown() {
        return !readings.isEmpty() && readings.values().stream().noneMatch(reading -> reading.backlog() == null);
    }

    /** The number of partitions that this node has claimed at this moment. */
    public int partitionsHeld() {
        return destinations.values().stream()
                .mapToInt(DestinationState::partitionsHeld)
                .sum();
    }

    /** The same as {@link #oldestPendingAgeSeconds()} for one destination. */
    public double oldestPendingAgeSeconds(DestinationId id) {
        Reading reading = readings.get(id.outbox());
        return reading == null
                ? 0
                : reading.ageSeconds(backlog -> backlog.oldestOf().get(id.name()), nanos.getAsLong());
    }

    /** Whether an operator paused this destination or all destinations of its outbox. */
    public boolean isPaused(DestinationId id) {
        Reading reading = readings.get(id.outbox());
        return reading != null && reading.backlog() != null && reading.backlog().isPaused(id.name());
    }

    /** Why a destination may be at fault itself; null if it is paused or works, as far as this node knows. */
    public Finding failing(DestinationId id) {
        return isPaused(id) ? null : destination(id).failing();
    }

    /** The problem that the last check of the tables found; null if there was none, or no check yet. */
    public String storeProblem() {
        return looks.values().stream()
                .map(Look::problem)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** The problem that the last check of this outbox's tables found; null if there was none, or no check yet. */
    public String storeProblem(String outbox) {
        Look last = looks.get(outbox);
        return last == null ? null : last.problem();
    }

    /** The age of the last check of the tables, which grows while the database does not answer. */
    public double lastTableCheckAgeSeconds() {
        long now = nanos.getAsLong();
        return looks.values().stream()
                .mapToDouble(look -> seconds(now - look.nanos()))
                .max()
                .orElse(Double.POSITIVE_INFINITY);
    }

    /**
     * The age of the oldest last reading among all outboxes, or of the start where there was none yet. It grows while the tables
     * cannot be read. Not a number without a dispatcher.
     */
    public double lastReadingAgeSeconds() {
        long now = nanos.getAsLong();
        return readings.values().stream()
                .mapToDouble(reading -> seconds(now - reading.nanos()))
                .max()
                .orElse(Double.NaN);
    }

    /**
     * The age of the oldest due message at the last reading. Once that is outdated, its age is added: the message may wait
     * still, or others may have come just after it. If there was no reading, the age of the dispatcher's start.
     */
    public double oldestPendingAgeSeconds() {
        return readings.keySet().stream()
                .mapToDouble(this::oldestPendingAgeSeconds)
                .max()
                .orElse(0);
    }

    /** The same for one outbox; zero if this application does not dispatch for it. */
    public double oldestPendingAgeSeconds(String outbox) {
        Reading reading = readings.get(outbox);
        return reading == null ? 0 : reading.ageSeconds(OutboxBacklog::oldest, nanos.getAsLong());
    }

    private int sum(ToIntFunction<OutboxBacklog> what) {
        return backlogs().mapToInt(what).sum();
    }

    private Stream<OutboxBacklog> backlogs() {
        return readings.values().stream().map(Reading::backlog).filter(Objects::nonNull);
    }

    /** The time since the timer last called. Not a number without a dispatcher, which has no timer. */
    public double lastTickAgeSeconds() {
        Long last = lastTick;
        return last == null ? Double.NaN : seconds(nanos.getAsLong() - last);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    /** @param backlog null before the first reading; then {@code nanos} is the start of the dispatcher */
    private record Reading(OutboxBacklog backlog, long nanos) {
        double ageSeconds(Function<OutboxBacklog, Instant> what, long now) {
            double unread = seconds(now - nanos);
            Instant oldest = backlog == null ? null : what.apply(backlog);
            double atReading = oldest == null
                    ? 0
                    : seconds(Duration.between(oldest, backlog.readAt()).toNanos());
            return Math.max(0, atReading + (unread < OUTDATED_SECONDS ? 0 : unread));
        }
    }

    private record Blocked(Map<String, HeldUpKeys> keys, long nanos) {}

    private record Look(String problem, long nanos) {}

    private record Counted(DeadLetterCount count, long nanos) {}

    /**
     * What is known of a queue of consumers' dead letters.
     *
     * @param letters their number, {@link #MOST} for that many or more; null if it is not known
     * @param finding what an operator has to know; null if nothing waits
     */
    public record DeadLetterCount(Integer letters, Finding finding) {
        /** In messages: to count more is work for the broker, and tells an operator nothing. */
        public static final int MOST = 100;

        /** The first look is still to come. */
        static final DeadLetterCount UNKNOWN = new DeadLetterCount(null, null);

        /** Whether messages may have been put aside since an earlier look. */
        public boolean isMoreThan(DeadLetterCount before) {
            return letters != null && letters > (before.letters == null ? 0 : before.letters);
        }

        /** For a metric, in which no number may stand for an unknown one. */
        double value() {
            return letters == null ? Double.NaN : letters;
        }
    }
}
