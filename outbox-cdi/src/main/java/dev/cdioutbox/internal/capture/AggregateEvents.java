package dev.cdioutbox.internal.capture;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.persistence.OutboxEventSource;
import dev.cdioutbox.persistence.OutboxEventSources;

/** Fires the events of written aggregates. Rolls a transaction back if an aggregate still has events at its end. */
@ApplicationScoped
class AggregateEvents implements OutboxEventSources {
    @Inject
    Event<Object> events;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    TransactionSynchronizationRegistry registry;

    @Override
    public void managed(OutboxEventSource source) {
        if (registry.getTransactionStatus() == Status.STATUS_ACTIVE) {
            inTransaction().add(source);
        }
    }

    @Override
    public void written(OutboxEventSource source) {
        // Events collected after this write need another write.
        managed(source);
        try {
            List.copyOf(source.takeEvents()).forEach(events::fire);
        } catch (RuntimeException | Error e) {
            // The other events are lost with the taken collection, so the transaction must not commit.
            if (registry.getTransactionStatus() == Status.STATUS_ACTIVE) {
                registry.setRollbackOnly();
            }
            throw e;
        }
    }

    private Leftovers inTransaction() {
        if (registry.getResource(AggregateEvents.class) instanceof Leftovers leftovers) {
            return leftovers;
        }
        Leftovers leftovers = new Leftovers(registry);
        registry.putResource(AggregateEvents.class, leftovers);
        registry.registerInterposedSynchronization(leftovers);
        return leftovers;
    }

    /**
     * The aggregates of one transaction. Its first synchronization only registers a second one, which checks them: some
     * servers flush between the two.
     */
    private static final class Leftovers implements Synchronization {
        private final Set<OutboxEventSource> sources = Collections.newSetFromMap(new IdentityHashMap<>());
        private final TransactionSynchronizationRegistry transaction;
        private boolean last;
        private boolean over;

        Leftovers(TransactionSynchronizationRegistry transaction) {
            this.transaction = transaction;
        }

        void add(OutboxEventSource source) {
            sources.add(source);
            if (over) {
                over = false;
                transaction.registerInterposedSynchronization(this);
            }
        }

        @Override
        public void beforeCompletion() {
            if (!last) {
                last = true;
                transaction.registerInterposedSynchronization(this);
                return;
            }
            over = true;
            for (OutboxEventSource source : List.copyOf(sources)) {
                Collection<?> events = source.takeEvents();
                if (!events.isEmpty()) {
                    transaction.setRollbackOnly();
                    List<String> types =
                            events.stream().map(e -> e.getClass().getName()).toList();
                    throw OutboxCode.SOURCE_NOT_WRITTEN.exception(
                            source.getClass().getName(), types);
                }
            }
        }

        @Override
        public void afterCompletion(int status) {}
    }
}
