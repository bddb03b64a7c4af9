package dev.cdioutbox.internal.dispatch;

import java.util.Set;

/** An operator discarded messages while they were sent, in a transaction that can still be rolled back: so he gets his way. */
final class DiscardedWhileSentException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Set<Long> sequences;

    DiscardedWhileSentException(Set<Long> sequences) {
        this.sequences = sequences;
    }

    Set<Long> sequences() {
        return sequences;
    }

    /** The one behind a failure, or null. */
    static DiscardedWhileSentException behind(Throwable failure) {
        for (Throwable link = failure; link != null; link = link.getCause()) {
            if (link instanceof DiscardedWhileSentException discarded) {
                return discarded;
            }
        }
        return null;
    }
}
