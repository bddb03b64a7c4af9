package dev.cdioutbox.internal.dispatch.container;

import java.time.Duration;
import java.util.concurrent.Callable;

import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.code.OutboxCode;

/** The container's transactions for the engine. Any exception of the work rolls its transaction back. */
public interface Transactions {

    /**
     * Runs work in a new global transaction and commits it.
     *
     * @throws Exception the failure of the work or of the commit; with a {@link TimedOutException} among its
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

    /** Reports that the container rolled a transaction back because of its timeout. */
    final class TimedOutException extends Exception {
        private static final long serialVersionUID = 1L;

        /**
         * @param timeout the transaction's timeout
         * @param cause the failure of the work, or null if the work had ended
         */
        public TimedOutException(Duration timeout, Throwable cause) {
            // Rounded: a part of the first second had passed before the measurement.
            super(OutboxCode.TRANSACTION_TIMED_OUT.text(Math.round(timeout.toMillis() / 1e3)), cause);
        }

        /** Whether a failure, or one of its causes, is a timeout. */
        public static boolean isCauseOf(Throwable failure) {
            return Causes.any(failure, TimedOutException.class::isInstance);
        }
    }
}
