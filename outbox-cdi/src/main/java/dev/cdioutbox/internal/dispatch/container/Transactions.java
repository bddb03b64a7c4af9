package dev.cdioutbox.internal.dispatch.container;

import java.time.Duration;
import java.util.concurrent.Callable;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;

/** The container's transactions for the engine. Any exception of the work rolls its transaction back. */
public interface Transactions {

    /**
     * Runs work in a new global transaction and commits it.
     *
     * @throws Exception the failure of the work or of the commit; with a {@link TransactionTimedOutException} among its
     *     causes if the transaction took too long
     */
    <T> T inNew(Callable<T> work) throws Exception;

    /** Runs work outside of any global transaction, on other connections than the caller's. */
    <T> T outside(Callable<T> work) throws Exception;

    /**
     * The time until the container rolls the current transaction back; negative once that time is over.
     *
     * @return null if the transaction has no timeout, or the container does not report it
     */
    default Duration timeLeft() {
        return null;
    }

    /**
     * {@link #outside} for a single call of the store: the call returns its connection at once, even if the caller
     * continues.
     *
     * @throws OutboxException OBX-0302 if it fails
     */
    static <T> T callStore(Transactions transactions, String what, Callable<T> work) {
        try {
            return transactions.outside(work);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw Problem.DATABASE_FAILED.exception(e, what, Problem.reason(e));
        }
    }
}
