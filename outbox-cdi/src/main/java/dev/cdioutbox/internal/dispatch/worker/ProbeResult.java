package dev.cdioutbox.internal.dispatch.worker;

import java.time.Duration;
import java.util.Objects;

/** The result of the exactly-once probe for one destination: proven, refused with a reason, or unknown. Thread-safe. */
public final class ProbeResult {
    /** A refused probe most likely fails until an administrator changes the database or the server. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private Object target;
    private String refusal;
    private boolean unreported;
    private long lastReport = Long.MIN_VALUE;
    private Object pausedTarget;
    private Exception pausedBy;
    private long pausedSince;
    private Duration pause = Duration.ZERO;

    /** Whether the probe has succeeded with the current configuration of the target. */
    public synchronized boolean isProvenFor(Object now) {
        return target != null && target.equals(now);
    }

    public synchronized void provenFor(Object now) {
        target = now;
        pausedBy = null;
        refused(null);
    }

    /**
     * Pauses after a refused probe, twice as long each time: for each failed prepare, the container logs some forty
     * lines.
     */
    public synchronized void pause(Object now, Exception why, long nanos) {
        boolean again = pausedBy != null && Objects.equals(now, pausedTarget);
        pause = again ? min(pause.multipliedBy(2), LONGEST_PAUSE) : FIRST_PAUSE;
        pausedTarget = now;
        pausedBy = why;
        pausedSince = nanos;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * The last refusal while the pause lasts; null if a probe is due, for example after a change of the target's
     * configuration.
     */
    public synchronized Exception pausedBy(Object now, long nanos) {
        boolean paused = pausedBy != null && Objects.equals(now, pausedTarget) && nanos - pausedSince < pause.toNanos();
        return paused ? pausedBy : null;
    }

    /** The reason why exactly-once is not possible at the moment, or null. */
    synchronized String refusal() {
        return refusal;
    }

    /** @param reason null if the probe has no result */
    public synchronized void refused(String reason) {
        unreported = reason != null && (unreported || !reason.equals(refusal));
        refusal = reason;
    }

    /**
     * Whether a refusal has to be reported now. If so, this call counts it as reported. At most once a period, since
     * the reason may differ at each probe.
     */
    synchronized boolean takeUnreportedRefusal(long nanos, long period) {
        if (!unreported || lastReport != Long.MIN_VALUE && nanos - lastReport < period) {
            return false;
        }
        unreported = false;
        lastReport = nanos;
        return true;
    }
}
