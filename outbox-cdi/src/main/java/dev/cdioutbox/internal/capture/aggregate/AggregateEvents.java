package dev.cdioutbox.internal.capture.aggregate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.persistence.OutboxAggregate;
import dev.cdioutbox.persistence.OutboxAggregates;

/** Fires the events of written aggregates. Rolls a transaction back if an aggregate still has events at its end. */
@ApplicationScoped
class AggregateEvents implements OutboxAggregates {
    @Inject
    Event<Object> events;

    /** Null in a container without Jakarta Transactions, such as that of a unit test. */
    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    TransactionSynchronizationRegistry registry;

    @Override
    public void collected(OutboxAggregate aggregate) {
        if (isActive()) {
            inTransaction().add(aggregate);
        } else if (registry != null && registry.getTransactionStatus() != Status.STATUS_MARKED_ROLLBACK) {
            throw OutboxCode.COLLECTED_OUTSIDE.exception(aggregate.getClass().getName());
        }
    }

    @Override
    public void written(OutboxAggregate aggregate) {
        boolean active = isActive();
        try {
            List<Object> taken = new ArrayList<>();
            if (active && registry.getResource(AggregateEvents.class) instanceof Unwritten unwritten) {
                unwritten.removeCopiesOf(aggregate).forEach(copy -> taken.addAll(copy.takeEvents()));
            }
            taken.addAll(aggregate.takeEvents());
            taken.forEach(events::fire);
        } catch (RuntimeException | Error e) {
            // The other events are lost with the taken collection, so the transaction must not commit.
            if (active) {
                registry.setRollbackOnly();
            }
            throw e;
        }
    }

    private boolean isActive() {
        return registry != null && registry.getTransactionStatus() == Status.STATUS_ACTIVE;
    }

    private Unwritten inTransaction() {
        if (registry.getResource(AggregateEvents.class) instanceof Unwritten unwritten) {
            return unwritten;
        }
        Unwritten unwritten = new Unwritten(registry);
        registry.putResource(AggregateEvents.class, unwritten);
        registry.registerInterposedSynchronization(unwritten);
        return unwritten;
    }

    /**
     * The aggregates of one transaction that have collected events and were not written since. Its first synchronization only
     * registers a second one, which checks that none is left: some servers flush between the two.
     */
    private static final class Unwritten implements Synchronization {
        /** With the order in which they collected their first events. */
        private final Map<OutboxAggregate, Integer> aggregates = new IdentityHashMap<>();

        private final TransactionSynchronizationRegistry transaction;
        private int added;
        private boolean last;
        private boolean over;

        Unwritten(TransactionSynchronizationRegistry transaction) {
            this.transaction = transaction;
        }

        void add(OutboxAggregate aggregate) {
            aggregates.putIfAbsent(aggregate, added++);
            if (over) {
                over = false;
                transaction.registerInterposedSynchronization(this);
            }
        }

        /**
         * Returns the written instance if it is here, and the other instances of its row: {@code merge()} has written a copy
         * of a detached one.
         */
        List<OutboxAggregate> removeCopiesOf(OutboxAggregate written) {
            EntityId id = EntityId.of(written);
            List<OutboxAggregate> copies = aggregates.keySet().stream()
                    .filter(other -> other == written || id != null && id.equals(EntityId.of(other)))
                    .sorted(Comparator.comparing(aggregates::get))
                    .toList();
            copies.forEach(aggregates::remove);
            return copies;
        }

        @Override
        public void beforeCompletion() {
            if (!last) {
                last = true;
                transaction.registerInterposedSynchronization(this);
                return;
            }
            over = true;
            try {
                List.copyOf(aggregates.keySet()).forEach(Unwritten::requireNoEvents);
            } catch (RuntimeException | Error e) {
                // On Liberty the exception causes the rollback, but other servers may ignore it.
                transaction.setRollbackOnly();
                throw e;
            }
        }

        private static void requireNoEvents(OutboxAggregate aggregate) {
            List<?> events = aggregate.takeEvents();
            if (!events.isEmpty()) {
                List<String> types =
                        events.stream().map(e -> e.getClass().getName()).toList();
                throw OutboxCode.AGGREGATE_NOT_WRITTEN.exception(
                        aggregate.getClass().getName(), types);
            }
        }

        @Override
        public void afterCompletion(int status) {}
    }
}
