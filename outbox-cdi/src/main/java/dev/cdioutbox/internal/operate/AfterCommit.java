package dev.cdioutbox.internal.operate;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/** Runs an action after the commit of the caller's transaction, so that no rolled-back change is logged. */
record AfterCommit(Runnable what) implements Synchronization {

    static void run(TransactionSynchronizationRegistry registry, Runnable what) {
        registry.registerInterposedSynchronization(new AfterCommit(what));
    }

    @Override
    public void beforeCompletion() {
        // The action runs after the commit only.
    }

    @Override
    public void afterCompletion(int status) {
        if (status == Status.STATUS_COMMITTED) {
            what.run();
        }
    }
}
