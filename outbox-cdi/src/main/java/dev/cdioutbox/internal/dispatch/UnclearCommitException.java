package dev.cdioutbox.internal.dispatch;

/** A commit failed, and so did the question what became of it. */
final class UnclearCommitException extends Exception {
    private static final long serialVersionUID = 1L;

    UnclearCommitException(Exception cause) {
        super(cause);
    }
}
