package dev.cdioutbox.internal.dispatch;

import java.util.Set;

/**
 * An operator discarded messages while they were sent. Thrown to roll back, so that the discarded messages are not
 * delivered.
 */
final class DiscardedWhileSentException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Set<Long> sequences;

    DiscardedWhileSentException(Set<Long> sequences) {
        this.sequences = sequences;
    }

    Set<Long> sequences() {
        return sequences;
    }

    /** The exception of this type in the chain of causes, or null. */
    static DiscardedWhileSentException behind(Throwable failure) {
        for (Throwable link = failure; link != null; link = link.getCause()) {
            if (link instanceof DiscardedWhileSentException discarded) {
                return discarded;
            }
        }
        return null;
    }
}
