package dev.cdioutbox.internal.capture.deployment;

import java.util.UUID;
import java.util.function.Consumer;

import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NodeStore;
import dev.cdioutbox.internal.store.ThisNode;
import dev.cdioutbox.internal.store.jdbc.TextRoundTrip;

/**
 * Writes a row and looks for it, since no setting of a DataSource is a proof. The rows are rows of nodes, so that no
 * dispatcher could send one. Leaves no row behind.
 */
public final class DataSourceCheck {
    private DataSourceCheck() {}

    /**
     * Checks that a rollback removes a row that was written as a capture writes its rows: by an interposed
     * synchronization. At that moment GlassFish gave out a connection that was not in the transaction.
     *
     * @param inNew runs work in a new JTA transaction and commits it
     * @throws dev.cdioutbox.OutboxException OBX-0208 if the row survives the rollback
     */
    public static void requireTransactions(
            NodeStore nodes,
            Consumer<Runnable> inNew,
            TransactionSynchronizationRegistry registry,
            String key,
            String dataSource) {
        ThisNode row = row();
        RolledBackWrite write = new RolledBackWrite(() -> nodes.writeHeartbeat(row, 0), registry);
        String outcome = "its synchronization was not called";
        try {
            inNew.accept(() -> registry.registerInterposedSynchronization(write));
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

    /**
     * Checks that the dispatcher's DataSource leads to the tables of the capture: otherwise no message would ever be
     * sent.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0215 if one DataSource does not see the rows of the other
     */
    public static void requireSameTables(NodeStore capturing, NodeStore dispatching, String dataSource) {
        boolean same;
        try {
            same = haveSameTables(capturing, dispatching);
        } catch (OutboxException e) {
            throw OutboxCode.OTHER_TABLES.exception(e, dataSource);
        }
        if (!same) {
            throw OutboxCode.OTHER_TABLES.exception(dataSource);
        }
    }

    /**
     * Checks that a text comes back from the tables as it was.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0232 if letters are damaged
     */
    public static void requireTexts(TextRoundTrip texts, String key, String dataSource) {
        String damage = texts.damage();
        if (damage != null) {
            throw OutboxCode.LETTERS_DAMAGED.exception(dataSource, key, damage);
        }
    }

    /** Whether the second one finds a row that the first one has written. */
    public static boolean haveSameTables(NodeStore written, NodeStore other) {
        ThisNode row = row();
        written.writeHeartbeat(row, 0);
        boolean found = false;
        try {
            found = other.delete(row.id());
        } finally {
            if (!found) {
                written.delete(row.id());
            }
        }
        return found;
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

    private static ThisNode row() {
        return new ThisNode("check-" + UUID.randomUUID(), "check", "check", "check", 0, "check");
    }
}
