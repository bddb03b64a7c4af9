package dev.cdioutbox.internal.capture.aggregate;

import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.persistence.OutboxAggregate;

/**
 * The aggregates of one transaction that have collected events and were not written since. A check before the commit rolls
 * the transaction back if one still has events. It is registered by a first synchronization, because some servers flush between the
 * two. Belongs to the transaction and is used by its thread only.
 */
final class UnwrittenAggregates {
    /** With the order in which they collected their first events. */
    private final Map<OutboxAggregate, Integer> aggregates = new IdentityHashMap<>();

    private final TransactionSynchronizationRegistry transaction;
    private int added;
    private boolean willBeChecked;

    private UnwrittenAggregates(TransactionSynchronizationRegistry transaction) {
        this.transaction = transaction;
    }

    /** Those of the current transaction, if it has any. */
    static Optional<UnwrittenAggregates> find(TransactionSynchronizationRegistry transaction) {
        return Optional.ofNullable((UnwrittenAggregates) transaction.getResource(UnwrittenAggregates.class));
    }

    /** Those of the current transaction. */
    static UnwrittenAggregates of(TransactionSynchronizationRegistry transaction) {
        return find(transaction).orElseGet(() -> {
            UnwrittenAggregates created = new UnwrittenAggregates(transaction);
            transaction.putResource(UnwrittenAggregates.class, created);
            created.checkAfterFlush();
            return created;
        });
    }

    private void checkAfterFlush() {
        willBeChecked = true;
        beforeCompletion(() -> beforeCompletion(this::check));
    }

    private void beforeCompletion(Runnable action) {
        transaction.registerInterposedSynchronization(new BeforeCompletion(action));
    }

    void add(OutboxAggregate aggregate) {
        aggregates.putIfAbsent(aggregate, added++);
        if (!willBeChecked) {
            willBeChecked = true;
            beforeCompletion(this::check);
        }
    }

    /**
     * Returns the written instance if it is here, and the other instances of its row: {@code merge()} has written a copy
     * of a detached one.
     */
    List<OutboxAggregate> removeCopiesOf(OutboxAggregate written) {
        Optional<EntityId> id = EntityId.of(written);
        List<OutboxAggregate> copies = aggregates.keySet().stream()
                .filter(other -> other == written || id.isPresent() && id.equals(EntityId.of(other)))
                .sorted(Comparator.comparing(aggregates::get))
                .toList();
        copies.forEach(aggregates::remove);
        return copies;
    }

    private void check() {
        willBeChecked = false;
        try {
            List.copyOf(aggregates.keySet()).forEach(UnwrittenAggregates::requireNoEvents);
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
                    events.stream().map(event -> event.getClass().getName()).toList();
            throw OutboxCode.AGGREGATE_NOT_WRITTEN.exception(
                    aggregate.getClass().getName(), types);
        }
    }

    private record BeforeCompletion(Runnable action) implements Synchronization {
        @Override
        public void beforeCompletion() {
            action.run();
        }

        @Override
        public void afterCompletion(int status) {
            // A transaction takes its aggregates with it.
        }
    }
}
