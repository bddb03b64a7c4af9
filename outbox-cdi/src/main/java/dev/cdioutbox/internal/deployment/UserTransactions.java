package dev.cdioutbox.internal.deployment;

import java.util.function.Consumer;

import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;

/** Runs work in a new JTA transaction and commits it, on a thread without one. */
public record UserTransactions(UserTransaction transaction) implements Consumer<Runnable> {

    /** Whether the server is Open Liberty. */
    boolean areOfLiberty() {
        return transaction.getClass().getName().startsWith("com.ibm.");
    }

    @Override
    public void accept(Runnable work) {
        try {
            transaction.begin();
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                transaction.rollback();
                throw e;
            }
            transaction.commit();
        } catch (NotSupportedException
                | SystemException
                | RollbackException
                | HeuristicMixedException
                | HeuristicRollbackException e) {
            throw new IllegalStateException(e);
        }
    }
}
