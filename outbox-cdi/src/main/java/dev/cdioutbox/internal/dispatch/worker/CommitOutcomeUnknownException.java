package dev.cdioutbox.internal.dispatch.worker;

/** A commit failed, and so did the query for its outcome. */
public final class CommitOutcomeUnknownException extends Exception {
    private static final long serialVersionUID = 1L;

    public CommitOutcomeUnknownException(Exception cause) {
        super(cause);
    }
}
