package dev.cdioutbox.tests.capture;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.transaction.UserTransaction;

/** Runs work in bean-managed transactions. */
@Stateless
@TransactionManagement(TransactionManagementType.BEAN)
public class BeanManaged {
    @Resource
    UserTransaction transaction;

    public void commit(Runnable work) throws Exception {
        transaction.begin();
        run(work);
        transaction.commit();
    }

    public void rollBack(Runnable work) throws Exception {
        transaction.begin();
        run(work);
        transaction.rollback();
    }

    /** @param work must outlast the transaction's time-out of six seconds */
    public void timeOut(Runnable work) throws Exception {
        transaction.setTransactionTimeout(6);
        try {
            commit(work);
        } finally {
            transaction.setTransactionTimeout(0);
        }
    }

    private void run(Runnable work) throws Exception {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            transaction.rollback();
            throw e;
        }
    }
}
