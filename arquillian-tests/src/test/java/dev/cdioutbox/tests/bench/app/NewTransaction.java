package dev.cdioutbox.tests.bench.app;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

/** Runs work in a JTA transaction of its own, while a connection of the caller has a local one. */
@Stateless
public class NewTransaction {
    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public void run(Transactions.Work work) throws Exception {
        work.run();
    }
}
