package dev.cdioutbox.internal.dispatch.worker;

/** The result of the exactly-once probe for one destination: proven, refused with a reason, or unknown. Thread-safe. */
public final class ProbeState {
    private Object target;
    private String refusal;
    private boolean unreported;
    private long lastReport = Long.MIN_VALUE;

    /** Whether the probe has succeeded with the current configuration of the target. */
    public synchronized boolean isProvenFor(Object now) {
        return target != null && target.equals(now);
    }

    public synchronized void provenFor(Object now) {
        target = now;
        refused(null);
    }

    /** Why exactly-once is not possible at the moment, or null. */
    synchronized String refusal() {
        return refusal;
    }

    /** @param reason null if the probe has no result */
    public synchronized void refused(String reason) {
        unreported = reason != null && (unreported || !reason.equals(refusal));
        refusal = reason;
    }

    /**
     * Returns whether a refusal has to be reported now, and counts it as reported. At most once a period, since the
     * reason may differ at each probe.
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
