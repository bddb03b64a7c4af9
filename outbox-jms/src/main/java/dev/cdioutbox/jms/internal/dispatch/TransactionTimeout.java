package dev.cdioutbox.jms.internal.dispatch;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.naming.InitialContext;

/**
 * Reads the timeout of the current transaction from Open Liberty's UOWManager. JTA has no method for that, and the
 * timeout may come from server.xml or from a binding file.
 */
final class TransactionTimeout {
    private static final Logger LOG = Logger.getLogger(TransactionTimeout.class.getName());
    private static final String MANAGER = "java:comp/websphere/UOWManager";
    private static final MethodHandle EXPIRATION = expiration();

    private TransactionTimeout() {}

    /** @return null without a transaction, without a timeout, or on another server */
    static Duration timeLeft() {
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

    /** Returns the expiration in milliseconds since 1970; 0 without a timeout. */
    private static MethodHandle expiration() {
        try {
            Class<?> manager =
                    Class.forName("com.ibm.wsspi.uow.UOWManager", true, TransactionTimeout.class.getClassLoader());
            return MethodHandles.publicLookup()
                    .findVirtual(manager, "getUOWExpiration", MethodType.methodType(long.class));
        } catch (ReflectiveOperationException | LinkageError notOnLiberty) {
            LOG.log(Level.FINE, "this server does not tell the time-out of transactions", notOnLiberty);
            return null;
        }
    }
}
