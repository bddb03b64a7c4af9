package dev.cdioutbox.internal.ejb;

import jakarta.ejb.EJBException;

import dev.cdioutbox.internal.code.FailureReason;

/**
 * Asks the container for its retry. After a short outage, that often succeeds. After a second failure, the container would
 * suspend the timer for nonPersistentRetryInterval (300 s by default on Liberty), so only the first of several consecutive
 * failures is thrown. Has neither stack trace nor cause, which the container would log in a hundred lines, and nobody would find
 * the line of the outbox between them.
 */
final class RetryAtOnce extends EJBException {
    private static final long serialVersionUID = 1;

    private RetryAtOnce(Throwable failure) {
        super(FailureReason.of(failure));
    }

    /**
     * Throws a failure to the container if it is the first of several consecutive ones.
     *
     * @param failure of this call, or null
     * @param failures the number of consecutive failed runs of the worker
     */
    static void throwIfFirst(Throwable failure, int failures) {
        if (failure != null && failures == 1) {
            throw new RetryAtOnce(failure);
        }
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
