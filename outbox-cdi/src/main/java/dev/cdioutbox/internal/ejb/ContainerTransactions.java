package dev.cdioutbox.internal.ejb;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

import dev.cdioutbox.internal.dispatch.container.Transactions;

/**
 * Container-managed transactions. The container begins, commits and rolls back; the engine only passes the work. Finds
 * out whether a rollback was a time-out.
 */
@Stateless
public class ContainerTransactions implements Transactions {
    private static final Logger LOG = Logger.getLogger(ContainerTransactions.class.getName());

    /** Of Open Liberty: JTA has no method for the timeout, which may come from server.xml or from a binding file. */
    private static final String MANAGER = "java:comp/websphere/UOWManager";

    /** Of the manager; kept, since each transaction asks for it. Null until the first call, and on other servers. */
    private Callable<Object> expiration;

    @Override
    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public <T> T inNew(Callable<T> work) throws RolledBackException {
        Duration timeout = timeLeft();
        long begin = System.nanoTime();
        T result;
        try {
            result = work.call();
        } catch (Exception e) {
            throw new RolledBackException(isOver(timeout, begin) ? new TimedOutException(timeout, e) : e);
        }
        // The container cancels the timeout before it commits, and its own exception would not name the timeout.
        if (isOver(timeout, begin)) {
            throw new RolledBackException(new TimedOutException(timeout, null));
        }
        return result;
    }

    private static boolean isOver(Duration timeout, long begin) {
        return timeout != null && System.nanoTime() - begin >= timeout.toNanos();
    }

    /** A separate EJB call, so that the container uses separate connections. */
    @Override
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public <T> T outside(Callable<T> work) throws RolledBackException {
        try {
            return work.call();
        } catch (Exception e) {
            throw new RolledBackException(e);
        }
    }

    @Override
    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public Duration timeLeft() {
        try {
            expiration = expiration == null ? expiration() : expiration;
            // In milliseconds since 1970; 0 without a timeout.
            long at = (long) expiration.call();
            return at <= 0 ? null : Duration.ofMillis(at - System.currentTimeMillis());
        } catch (Exception notOnLiberty) {
            expiration = null;
            LOG.log(Level.FINE, "the transaction's time-out is not known", notOnLiberty);
            return null;
        }
    }

    private static Callable<Object> expiration() throws NamingException, ReflectiveOperationException {
        Object manager = InitialContext.doLookup(MANAGER);
        Method method = Class.forName(
                        "com.ibm.wsspi.uow.UOWManager", true, manager.getClass().getClassLoader())
                .getMethod("getUOWExpiration");
        return () -> method.invoke(manager);
    }
}
