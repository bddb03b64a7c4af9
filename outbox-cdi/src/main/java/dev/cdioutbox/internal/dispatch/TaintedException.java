package dev.cdioutbox.internal.dispatch;

import java.util.List;

import dev.cdioutbox.spi.PublishException;

/**
 * A send failed, and nobody can tell whether the broker has the message all the same: an answer that came too late looks like
 * this. Committed with the others it would be sent again, so the transaction must not commit.
 */
final class TaintedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Sent sent;
    private final transient List<Sent.Failure> uncertain;

    TaintedException(Sent sent, List<Sent.Failure> uncertain) {
        this.sent = sent;
        this.uncertain = List.copyOf(uncertain);
    }

    /** What got through, and what did not. */
    Sent sent() {
        return sent;
    }

    /** Those that failed and after which nothing got through. */
    List<Sent.Failure> uncertain() {
        return uncertain;
    }

    /** What failed first. */
    PublishException why() {
        List<Sent.Failure> failed = uncertain.isEmpty() ? sent.failures() : uncertain;
        return failed.get(0).cause();
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
