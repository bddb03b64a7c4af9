package dev.cdioutbox.internal.dispatch.container;

import java.time.Duration;

import dev.cdioutbox.internal.code.OutboxCode;

/** Reports that the container rolled a transaction back because of its timeout. */
public final class TransactionTimedOutException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * @param timeout the transaction's timeout
     * @param cause the failure of the work, or null if the work had ended
     */
    public TransactionTimedOutException(Duration timeout, Throwable cause) {
        // Rounded: a part of the first second had passed before the measurement.
        super(OutboxCode.TRANSACTION_TIMED_OUT.text(Math.round(timeout.toMillis() / 1e3)), cause);
    }

    /** Whether a failure, or one of its causes, is a timeout. */
    public static boolean isCauseOf(Throwable failure) {
        return failure instanceof TransactionTimedOutException
                || (failure.getCause() != null && failure.getCause() != failure && isCauseOf(failure.getCause()));
    }
}
