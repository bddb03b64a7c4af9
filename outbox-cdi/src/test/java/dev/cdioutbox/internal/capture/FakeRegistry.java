package dev.cdioutbox.internal.capture;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * A registry with one transaction, which calls interposed synchronizations in the order of their registration, late
 * ones too.
 */
public final class FakeRegistry implements TransactionSynchronizationRegistry {
    public final List<Synchronization> interposed = new ArrayList<>();
    public int status = Status.STATUS_ACTIVE;
    private final Map<Object, Object> resources = new HashMap<>();
    private int called;

    /** Calls the next synchronization. */
    public void beforeCompletionOfNext() {
        interposed.get(called++).beforeCompletion();
    }

    /**
     * Commits, or rolls back if the transaction is marked or a synchronization throws. Returns the exception, or null.
     */
    public RuntimeException commit() {
        RuntimeException thrown = null;
        while (called < interposed.size() && thrown == null && status == Status.STATUS_ACTIVE) {
            try {
                beforeCompletionOfNext();
            } catch (RuntimeException e) {
                thrown = e;
            }
        }
        end(status == Status.STATUS_ACTIVE && thrown == null ? Status.STATUS_COMMITTED : Status.STATUS_ROLLEDBACK);
        return thrown;
    }

    public void end(int outcome) {
        status = outcome;
        List.copyOf(interposed).forEach(synchronization -> synchronization.afterCompletion(outcome));
        status = Status.STATUS_NO_TRANSACTION;
        interposed.clear();
        resources.clear();
        called = 0;
    }

    public void begin() {
        status = Status.STATUS_ACTIVE;
    }

    @Override
    public Object getTransactionKey() {
        return status == Status.STATUS_NO_TRANSACTION ? null : "transaction";
    }

    @Override
    public void putResource(Object key, Object value) {
        resources.put(key, value);
    }

    @Override
    public Object getResource(Object key) {
        return resources.get(key);
    }

    @Override
    public void registerInterposedSynchronization(Synchronization synchronization) {
        interposed.add(synchronization);
    }

    @Override
    public int getTransactionStatus() {
        return status;
    }

    @Override
    public void setRollbackOnly() {
        status = Status.STATUS_MARKED_ROLLBACK;
    }

    @Override
    public boolean getRollbackOnly() {
        return status == Status.STATUS_MARKED_ROLLBACK;
    }
}
