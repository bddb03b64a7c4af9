package dev.cdioutbox.jms.internal.send;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;

/**
 * The configurations with which the exactly-once probe succeeded. A batch in flight uses the proven configuration and
 * not a newer one, whose connection factory may not take part in transactions.
 */
final class ProvenTargets {
    private static final String REGISTRY = "java:comp/TransactionSynchronizationRegistry";

    private final Map<String, DestinationConfig> proven = new ConcurrentHashMap<>();

    /** Call this in the probe's transaction, whose commit is the proof. */
    void tried(String destination, DestinationConfig target) {
        try {
            TransactionSynchronizationRegistry transaction = InitialContext.doLookup(REGISTRY);
            transaction.registerInterposedSynchronization(new IfCommitted(() -> proven.put(destination, target)));
        } catch (NamingException e) {
            throw new IllegalStateException("no " + REGISTRY, e);
        }
    }

    /** The configuration for a batch. */
    DestinationConfig of(String destination, DestinationConfig now, Guarantee delivery) {
        if (delivery == Guarantee.AT_LEAST_ONCE) {
            proven.remove(destination);
        }
        return proven.getOrDefault(destination, now);
    }

    private record IfCommitted(Runnable what) implements Synchronization {
        @Override
        public void beforeCompletion() {
            // Only the commit is the proof.
        }

        @Override
        public void afterCompletion(int status) {
            if (status == Status.STATUS_COMMITTED) {
                what.run();
            }
        }
    }
}
