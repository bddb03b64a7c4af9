package dev.cdioutbox.internal.deployment;

import java.util.function.Consumer;

import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.ThisNode;

/**
 * Checks that a DataSource takes part in JTA transactions: a rollback must remove a row that was written as a capture writes its
 * rows, by an interposed synchronization. At that moment GlassFish gave out a connection that was not in the transaction.
 *
 * @param inNewTransaction runs work in a new JTA transaction and commits it
 */
record TransactionCheck(Consumer<Runnable> inNewTransaction, TransactionSynchronizationRegistry registry) {

    /**
     * Leaves no row behind.
     *
     * @param key the configuration key of the DataSource
     * @throws dev.cdioutbox.OutboxException OBX-0208 if the row survives the rollback
     */
    void require(NodeStore nodes, String key, String dataSource) {
        ThisNode row = DataSourceCheck.newRow();
        RolledBackWrite write = new RolledBackWrite(() -> nodes.writeHeartbeat(row, 0), registry);
        String outcome = "its synchronization was not called";
        try {
            inNewTransaction.accept(() -> registry.registerInterposedSynchronization(write));
        } catch (Exception e) {
            // A RollbackException too, which an interceptor of WildFly throws without declaring it.
            outcome = FailureReason.of(e);
        }
        if (write.failure != null) {
            throw write.failure;
        }
        if (!write.isDone) {
            throw OutboxCode.DATABASE_FAILED.exception("trying a transaction on " + dataSource, outcome);
        }
        if (nodes.delete(row.id())) {
            throw OutboxCode.NOT_TRANSACTIONAL.exception(dataSource, key);
        }
    }

    /** Writes before the completion of a transaction, and then rolls it back. */
    private static final class RolledBackWrite implements Synchronization {
        private final Runnable write;
        private final TransactionSynchronizationRegistry registry;
        private RuntimeException failure;
        private boolean isDone;

        RolledBackWrite(Runnable write, TransactionSynchronizationRegistry registry) {
            this.write = write;
            this.registry = registry;
        }

        @Override
        public void beforeCompletion() {
            try {
                write.run();
                isDone = true;
            } catch (RuntimeException e) {
                failure = e;
            }
            registry.setRollbackOnly();
        }

        @Override
        public void afterCompletion(int status) {}
    }
}
