package dev.cdioutbox.jms.internal;

import java.util.concurrent.Callable;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

import dev.cdioutbox.internal.dispatch.container.Transactions;

/** The container's own transactions: it begins, commits and rolls back, and the engine only says what belongs together. */
@Stateless
public class ContainerTransactions implements Transactions {

    @Override
    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public <T> T inNew(Callable<T> work) throws RolledBackException {
        return call(work);
    }

    /** A method call of its own, so that the container gives it connections of its own. */
    @Override
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public <T> T outside(Callable<T> work) throws RolledBackException {
        return call(work);
    }

    private static <T> T call(Callable<T> work) throws RolledBackException {
        try {
            return work.call();
        } catch (Exception e) {
            throw new RolledBackException(e);
        }
    }
}
