package dev.cdioutbox.internal.dispatch.container;

import java.time.Duration;
import java.util.concurrent.Callable;

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
}
