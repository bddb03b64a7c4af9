package dev.cdioutbox.tests.bench.app;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.UserTransaction;

/** Runs work in JTA transactions of its own. */
@ApplicationScoped
public class Transactions {
    @Resource
    private UserTransaction transaction;

    /** What a transaction does. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    public void run(Work work) throws Exception {
        run(work, () -> {});
    }

    void run(Work work, Runnable beforeCommit) throws Exception {
        transaction.begin();
        try {
            work.run();
        } catch (Exception e) {
            transaction.rollback();
            throw e;
        }
        beforeCommit.run();
        transaction.commit();
    }
}
