package dev.cdioutbox.internal.deployment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.outbox.LazyStore;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;

/** Opens the outboxes of the application at deployment, each with its {@linkplain StoreOpening store}. */
public final class OutboxOpening {
    private final TransactionSynchronizationRegistry registry;
    private final Consumer<Runnable> inNewTransaction;
    private final Consumer<Runnable> outsideOfTransactions;

    /**
     * @param inNewTransaction runs work in a new JTA transaction and commits it, by {@code @Transactional}
     * @param outsideOfTransactions runs work outside of the caller's transaction
     */
    public OutboxOpening(
            TransactionSynchronizationRegistry registry,
            Consumer<Runnable> inNewTransaction,
            Consumer<Runnable> outsideOfTransactions) {
        this.registry = registry;
        this.inNewTransaction = inNewTransaction;
        this.outsideOfTransactions = outsideOfTransactions;
    }

    /**
     * Opens the outboxes in their order. With {@code outbox.schema=none}, the store is opened later.
     *
     * @param eventTypes supplies the names of the event types found so far
     * @throws dev.cdioutbox.OutboxException OBX-02xx or OBX-03xx for a DataSource or tables that cannot be used
     */
    public Outboxes open(Map<String, CurrentConfig> configurations, Supplier<Set<String>> eventTypes) {
        TransactionCheck check = new TransactionCheck(transactionsOfChecks(), registry);
        List<OutboxInstance> outboxes = new ArrayList<>();
        configurations.forEach((name, config) -> outboxes.add(open(name, config, check)));
        DistinctTables.require(outboxes);
        return new Outboxes(outboxes, registry, eventTypes);
    }

    private OutboxInstance open(String name, CurrentConfig config, TransactionCheck check) {
        StoreOpening opening = new StoreOpening(config.current(), check);
        LazyStore store = new LazyStore(name, opening, outsideOfTransactions, System::nanoTime);
        if (config.current().store().schema() != SchemaMode.NONE) {
            store.open();
        }
        return new OutboxInstance(name, config, store);
    }

    /**
     * How a check runs work in a transaction: by {@code @Transactional}, since only that one fails on GlassFish. Its
     * interceptor takes the transaction from the component before the commit, and the container gives out connections in
     * auto-commit from then on. Liberty treats both alike, but would write an FFDC for a {@code @Transactional} method whose
     * commit is a rollback.
     */
    private Consumer<Runnable> transactionsOfChecks() {
        UserTransactions user = new UserTransactions(PlatformServices.platform(UserTransaction.class));
        return user.areOfLiberty() ? user : inNewTransaction;
    }
}
