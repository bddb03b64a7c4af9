package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.store.HeldUpKeys;

/** What this node knows of one destination: its running threads, failures, guarantee and messages in doubt. Thread-safe. */
public final class DestinationState {
    /** The sends of a batch end after ten seconds, and most brokers and databases answer or fail within a minute. */
    private static final Duration SILENT_AFTER = Duration.ofMinutes(1);

    /** The lowest rate is a message a second, so that a limit in force holds claims back more often. */
    private static final Duration HELD_BACK = Duration.ofSeconds(10);

    private final LongSupplier nanos;
    /** By the ids of the threads that deliver now. */
    private final Map<Long, Long> lastSigns = new HashMap<>();

    private int partitionsHeld;
    private int failedRuns;
    private Failure lastFailure;
    private Finding finding;
    private Failing failing;
    private GuaranteeReport guarantee;
    private int inDoubt;
    private long inDoubtSince;
    private HeldUpKeys keysInDoubt = HeldUpKeys.NONE;
    private Long heldBackAt;

    DestinationState(LongSupplier nanos) {
        this.nanos = nanos;
    }

    synchronized void began() {
        lastSigns.put(Thread.currentThread().getId(), nanos.getAsLong());
    }

    /** @param partitions negative if they are released */
    synchronized void holds(int partitions) {
        partitionsHeld += partitions;
        lastSigns.computeIfPresent(Thread.currentThread().getId(), (thread, before) -> nanos.getAsLong());
    }

    synchronized void ended() {
        lastSigns.remove(Thread.currentThread().getId());
        // Nothing else ends the failure of a batch whose run is not counted, as while the application stops.
        lastFailure = failedRuns == 0 ? null : lastFailure;
    }

    synchronized void runFailed(int failures, String reason, Finding why) {
        failedRuns = failures;
        finding = why;
        failed(reason);
    }

    /** After a run without messages, too. */
    synchronized void recovered() {
        failedRuns = 0;
        lastFailure = null;
        finding = null;
    }

    synchronized void failed(String reason) {
        lastFailure = new Failure(Instant.now(), reason);
    }

    synchronized void held(Finding why, BooleanSupplier isOver) {
        failing = new Failing(new Failure(Instant.now(), why.toString()), why, isOver);
    }

    /** The destination was opened anew, or refuses exactly-once. Once it is opened, what failed before is out of date. */
    synchronized void reported(GuaranteeReport report) {
        guarantee = report;
        if (report.refusal() == null) {
            lastFailure = null;
            finding = null;
        } else {
            failed(report.refusal());
        }
    }

    synchronized void inDoubt(int messages, Duration longest) {
        inDoubt = messages;
        inDoubtSince = nanos.getAsLong() - longest.toNanos();
        keysInDoubt = messages == 0 ? HeldUpKeys.NONE : keysInDoubt;
    }

    synchronized void keysInDoubt(HeldUpKeys keys) {
        keysInDoubt = keys;
    }

    /** The number of partitions that this node has claimed at this moment. */
    public synchronized int partitionsHeld() {
        return partitionsHeld;
    }

    /** The consecutive failed runs. */
    public synchronized int failedRuns() {
        return failedRuns;
    }

    /**
     * The failure of this node's last run, or else why the destination may be at fault; null if there is neither. An outage
     * charges no message, so no message shows it.
     */
    public synchronized Failure lastFailure() {
        return lastFailure == null && isFailing() ? failing.failure() : lastFailure;
    }

    /** Whether messages without attempts left are not given up, because the destination may be at fault. */
    public synchronized boolean isFailing() {
        return failing != null && !failing.isOver().getAsBoolean();
    }

    /** Why the destination may be at fault; null if it is not {@link #isFailing failing}. */
    public synchronized Finding failing() {
        return isFailing() ? failing.finding() : null;
    }

    /** The failure of this node's last run, as the log has it; null in the midst of the first failed run, too. */
    public synchronized Finding finding() {
        return finding;
    }

    /** The last guarantee report on this node; null if there is none. */
    public synchronized GuaranteeReport guarantee() {
        return guarantee;
    }

    /**
     * The longest time that a thread has waited for the broker or the database; zero without a running thread. A hanging
     * call to the broker does not fail. Only this silence between the begin and the end of a run shows it.
     */
    public synchronized Duration silence() {
        long now = nanos.getAsLong();
        return Duration.ofNanos(
                lastSigns.values().stream().mapToLong(sign -> now - sign).max().orElse(0));
    }

    /** Whether a thread has waited for so long that the broker most likely hangs. */
    public boolean isSilent() {
        return silence().compareTo(SILENT_AFTER) >= 0;
    }

    /** The number of messages in doubt, as this node knows. */
    public synchronized int inDoubt() {
        return inDoubt;
    }

    /** The time since this node found the first of them. */
    public synchronized double inDoubtSeconds() {
        return inDoubt == 0 ? 0 : (nanos.getAsLong() - inDoubtSince) / 1e9;
    }

    /** The keys of the messages in doubt, as this node has counted them last. */
    public synchronized HeldUpKeys keysInDoubt() {
        return keysInDoubt;
    }

    synchronized void heldBack() {
        heldBackAt = nanos.getAsLong();
    }

    /** Whether the rate of the destination holds messages back on this node. */
    public synchronized boolean isHeldBack() {
        return heldBackAt != null && nanos.getAsLong() - heldBackAt < HELD_BACK.toNanos();
    }

    private record Failing(Failure failure, Finding finding, BooleanSupplier isOver) {}

    /** The failure of a run. Public, as JSON-B needs it. */
    public record Failure(Instant at, String reason) {}
}
