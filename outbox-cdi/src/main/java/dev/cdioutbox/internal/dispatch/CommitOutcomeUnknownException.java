package dev.cdioutbox.internal.dispatch;

/** A commit failed, and so did the query for its outcome. */
final class CommitOutcomeUnknownException extends Exception {
    private static final long serialVersionUID = 1L;

    CommitOutcomeUnknownException(Exception cause) {
        super(cause);
    }
}
