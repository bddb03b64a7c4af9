package dev.cdioutbox.internal.dispatch;

/**
 * A send failed, and nobody can tell whether the broker has the message all the same: an answer that came too late looks like
 * this. Committed with the others it would be sent again, so the transaction must not commit.
 */
final class TaintedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Sent sent;

    TaintedException(Sent sent) {
        this.sent = sent;
    }

    /** What got through, and what did not. */
    Sent sent() {
        return sent;
    }

    /** The one behind a failure, or null. */
    static TaintedException behind(Throwable failure) {
        for (Throwable link = failure; link != null; link = link.getCause()) {
            if (link instanceof TaintedException tainted) {
                return tainted;
            }
        }
        return null;
    }
}
