package dev.cdioutbox.jms.internal.dispatch;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.naming.InitialContext;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

import dev.cdioutbox.internal.dispatch.container.TransactionTimedOutException;
import dev.cdioutbox.internal.dispatch.container.Transactions;

/** Container-managed transactions. The container begins, commits and rolls back; the engine only passes the work. */
@Stateless
public class ContainerTransactions implements Transactions {
    private static final Logger LOG = Logger.getLogger(ContainerTransactions.class.getName());

    /** Of Open Liberty: JTA has no method for the timeout, which may come from server.xml or from a binding file. */
    private static final String MANAGER = "java:comp/websphere/UOWManager";

    private static final MethodHandle EXPIRATION = expiration();

    @Override
    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public <T> T inNew(Callable<T> work) throws RolledBackException {
        Duration timeout = timeLeft();
        long begin = System.nanoTime();
        T result;
        try {
            result = work.call();
        } catch (Exception e) {
            throw new RolledBackException(isOver(timeout, begin) ? new TransactionTimedOutException(timeout, e) : e);
        }
        // The container cancels the timeout before it commits, and its own exception would not name the timeout.
        if (isOver(timeout, begin)) {
            throw new RolledBackException(new TransactionTimedOutException(timeout, null));
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
        if (EXPIRATION == null) {
            return null;
        }
        try {
            Object manager = InitialContext.doLookup(MANAGER);
            long at = (long) EXPIRATION.invoke(manager);
            return at <= 0 ? null : Duration.ofMillis(at - System.currentTimeMillis());
        } catch (Throwable e) {
            LOG.log(Level.FINE, "the transaction's time-out is not known", e);
            return null;
        }
    }

    /** Returns the expiration in milliseconds since 1970, 0 without a timeout; null on another server. */
    private static MethodHandle expiration() {
        try {
            Class<?> manager =
                    Class.forName("com.ibm.wsspi.uow.UOWManager", true, ContainerTransactions.class.getClassLoader());
            return MethodHandles.publicLookup()
                    .findVirtual(manager, "getUOWExpiration", MethodType.methodType(long.class));
        } catch (ReflectiveOperationException | LinkageError notOnLiberty) {
            LOG.log(Level.FINE, "this server does not tell the time-out of transactions", notOnLiberty);
            return null;
        }
    }
}
