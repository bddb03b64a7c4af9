package dev.cdioutbox.internal.operate;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/** Does something once the caller's transaction is committed: a log that tells what was rolled back tells lies. */
record AfterCommit(Runnable what) implements Synchronization {

    static void run(TransactionSynchronizationRegistry registry, Runnable what) {
        registry.registerInterposedSynchronization(new AfterCommit(what));
    }

    @Override
    public void beforeCompletion() {
        // Nothing is left to be done in the transaction.
    }

    @Override
    public void afterCompletion(int status) {
        if (status == Status.STATUS_COMMITTED) {
            what.run();
        }
    }
}
