package dev.cdioutbox.internal.dispatch.delivery;

/** Reports that a commit failed, and the query for its outcome too. */
public final class CommitOutcomeUnknownException extends Exception {
    private static final long serialVersionUID = 1L;

    public CommitOutcomeUnknownException(Exception cause) {
        super(cause);
    }
}
