package dev.cdioutbox.internal.dispatch.container;

import java.util.concurrent.Callable;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;

/** The container's transactions, as the engine needs them. Whatever the work throws rolls its transaction back. */
public interface Transactions {

    /** Runs work in a new global transaction and commits it. */
    <T> T inNew(Callable<T> work) throws Exception;

    /** Runs work outside of any global transaction, and apart from the connections of its caller. */
    <T> T outside(Callable<T> work) throws Exception;

    /**
     * {@link #outside} for a single call of the store: the connection is returned at once, even if the caller
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
