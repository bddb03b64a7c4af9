package dev.cdioutbox.internal.dispatch;

/** Whether broker and database were seen to commit together for a worker, or why they do not. Thread-safe. */
final class ProbeState {
    private Object target;
    private String refusal;
    private boolean unreported;
    private long lastReport = Long.MIN_VALUE;

    /** Whether they were with this target as it is configured now. */
    synchronized boolean isProvenFor(Object now) {
        return target != null && target.equals(now);
    }

    synchronized void provenFor(Object now) {
        target = now;
        refused(null);
    }

    /** Why exactly-once is not possible at the moment, or null. */
    synchronized String refusal() {
        return refusal;
    }

    /** @param reason null if it is not known at the moment whether it is possible */
    synchronized void refused(String reason) {
        unreported = reason != null && (unreported || !reason.equals(refusal));
        refusal = reason;
    }

    /**
     * Whether there is a refusal that nobody was told of yet; asking counts as telling. A reason may be another one each time, or
     * come and go: so it is told once in a period at most.
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
