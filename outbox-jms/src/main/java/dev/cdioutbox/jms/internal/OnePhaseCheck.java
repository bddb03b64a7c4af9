package dev.cdioutbox.jms.internal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;

/**
 * Finds out whether a resource without XA takes part in the current transaction. With acceptHeuristicHazard, Open Liberty
 * lets one such resource join the others, and never a second one. So a second one is offered.
 */
final class OnePhaseCheck {
    private static final Logger LOG = Logger.getLogger(OnePhaseCheck.class.getName());
    private static final String RESOURCE = "com.ibm.tx.jta.OnePhaseXAResource";
    private static final String MANAGERS = "com.ibm.tx.jta.TransactionManagerFactory";

    private OnePhaseCheck() {}

    /**
     * The transaction must roll back afterwards, since the offered resource is part of it.
     *
     * @return null on another server, or if the application does not see Liberty's own API
     */
    static Boolean hasOnePhaseResource() {
        ClassLoader loader = OnePhaseCheck.class.getClassLoader();
        try {
            Transaction transaction = ((TransactionManager) Class.forName(MANAGERS, true, loader)
                            .getMethod("getTransactionManager")
                            .invoke(null))
                    .getTransaction();
            Class<?> onePhase = Class.forName(RESOURCE, true, loader);
            return !isAccepted(
                    transaction, (XAResource) Proxy.newProxyInstance(loader, new Class<?>[] {onePhase}, resource()));
        } catch (Exception | LinkageError unknown) {
            LOG.log(Level.FINE, "it is not known whether all resources of a transaction are XA", unknown);
            return null;
        }
    }

    private static boolean isAccepted(Transaction transaction, XAResource resource) throws Exception {
        try {
            transaction.enlistResource(resource);
            return true;
        } catch (IllegalStateException thereIsOne) {
            LOG.log(Level.FINE, "the transaction has a resource without XA", thereIsOne);
            return false;
        }
    }

    /** Does nothing, at no moment of the transaction. */
    private static InvocationHandler resource() {
        return (proxy, method, arguments) -> switch (method.getName()) {
            case "getResourceName", "toString" -> "CDI Outbox probe";
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals", "isSameRM" -> proxy == arguments[0];
            case "prepare" -> XAResource.XA_OK;
            case "recover" -> new Xid[0];
            case "getTransactionTimeout" -> 0;
            case "setTransactionTimeout" -> false;
            default -> null;
        };
    }
}
