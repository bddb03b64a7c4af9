package dev.cdioutbox.internal.dispatch.ownership;

import dev.cdioutbox.internal.store.FencingToken;

/**
 * The token that this node has last written for a destination, kept from claim to claim. A claim that finds it in the database
 * need not take the destination over: nobody else has owned it, and all that is committed is settled. Thread-safe.
 */
final class LastWritten {
    /** Null if nothing is known, as at the start. */
    private volatile FencingToken token;

    void is(FencingToken written) {
        token = written;
    }

    /** A batch may be committed and not settled. */
    void isInDoubt() {
        token = null;
    }

    /** @param found what the database has; null if the destination has never sent by markers */
    boolean isStill(FencingToken found) {
        return found != null && found.equals(token);
    }
}
