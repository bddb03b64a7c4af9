package dev.cdioutbox.internal.dispatch;

/** A commit failed, and so did the question what became of it. */
final class CommitOutcomeUnknownException extends Exception {
    private static final long serialVersionUID = 1L;

    CommitOutcomeUnknownException(Exception cause) {
        super(cause);
    }
}
