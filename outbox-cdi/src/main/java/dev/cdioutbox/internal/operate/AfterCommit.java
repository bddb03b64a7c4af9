package dev.cdioutbox.internal.operate;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;

/** Runs an action after the commit of a transaction, and not after a rollback. */
record AfterCommit(Runnable what) implements Synchronization {

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
