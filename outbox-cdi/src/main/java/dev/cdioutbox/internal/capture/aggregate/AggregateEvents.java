package dev.cdioutbox.internal.capture.aggregate;

import java.util.ArrayList;
import java.util.List;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
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
            UnwrittenAggregates.of(registry).add(aggregate);
        } else if (registry != null && registry.getTransactionStatus() != Status.STATUS_MARKED_ROLLBACK) {
            throw OutboxCode.COLLECTED_OUTSIDE.exception(aggregate.getClass().getName());
        }
    }

    @Override
    public void written(OutboxAggregate aggregate) {
        if (isActive()) {
            fireInTransaction(aggregate);
        } else {
            aggregate.takeEvents().forEach(events::fire);
        }
    }

    private boolean isActive() {
        return registry != null && registry.getTransactionStatus() == Status.STATUS_ACTIVE;
    }

    private void fireInTransaction(OutboxAggregate aggregate) {
        try {
            takeEventsOfCopies(aggregate).forEach(events::fire);
        } catch (RuntimeException | Error e) {
            // The other events are lost with the taken collection, so the transaction must not commit.
            registry.setRollbackOnly();
            throw e;
        }
    }

    /** Of the aggregate and of the other instances of its row, in the order in which they have collected their first events. */
    private List<Object> takeEventsOfCopies(OutboxAggregate aggregate) {
        List<Object> taken = new ArrayList<>();
        UnwrittenAggregates.find(registry)
                .ifPresent(unwritten ->
                        unwritten.removeCopiesOf(aggregate).forEach(copy -> taken.addAll(copy.takeEvents())));
        taken.addAll(aggregate.takeEvents());
        return taken;
    }
}
