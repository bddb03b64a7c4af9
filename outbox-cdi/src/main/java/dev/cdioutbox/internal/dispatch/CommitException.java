package dev.cdioutbox.internal.dispatch;

/** Everything was sent and settled, and then the commit failed: who is to blame, no send has told. */
final class CommitException extends Exception {
    private static final long serialVersionUID = 1L;

    CommitException(Exception cause) {
        super(cause);
    }
}
