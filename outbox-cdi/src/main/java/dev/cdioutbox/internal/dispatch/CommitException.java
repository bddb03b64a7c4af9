package dev.cdioutbox.internal.dispatch;

/** The commit of a batch failed after all messages were sent and settled. No single send is known to be the cause. */
final class CommitException extends Exception {
    private static final long serialVersionUID = 1L;

    CommitException(Exception cause) {
        super(cause);
    }
}
