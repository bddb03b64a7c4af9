package dev.cdioutbox.internal.dispatch.container;

import java.time.Duration;

import dev.cdioutbox.internal.problem.Problem;

/** The container rolled a transaction back because of its time-out. */
public final class TransactionTimedOutException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * @param timeout of the transaction
     * @param cause the failure of the work, or null if the work had ended
     */
    public TransactionTimedOutException(Duration timeout, Throwable cause) {
        // Rounded: the time is measured when a part of the first second is over.
        super(Problem.TRANSACTION_TIMED_OUT.text(Math.round(timeout.toMillis() / 1e3)), cause);
    }

    /** Whether a failure, or one of its causes, is a time-out. */
    public static boolean isCauseOf(Throwable failure) {
        return failure instanceof TransactionTimedOutException
                || (failure.getCause() != null && failure.getCause() != failure && isCauseOf(failure.getCause()));
    }
}
