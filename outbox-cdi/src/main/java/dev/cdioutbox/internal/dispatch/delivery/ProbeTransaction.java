package dev.cdioutbox.internal.dispatch.delivery;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.container.Transactions.TimedOutException;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.PreparedTransactions;
import dev.cdioutbox.internal.store.ProbeStore;

/** The transaction of a batch without its messages: shows whether broker and database commit. */
final class ProbeTransaction {
    private static final Logger LOG = Logger.getLogger(ProbeTransaction.class.getName());

    private ProbeTransaction() {}

    /**
     * Probes a destination in a new transaction. With exactly-once, broker and database commit one transaction with two
     * branches: the same as for a batch, but without its messages.
     *
     * @throws Exception if the destination does not answer, or the transaction cannot commit
     */
    static void commit(Services services, DestinationPublisher publisher) throws Exception {
        // Before the transaction: Liberty tries for ever to roll back one for which its message store had no room.
        publisher.checkRoom();
        if (publisher.protocol().settlesApart()) {
            services.inNew(publisher::probe);
            return;
        }
        ProbeStore probes = services.store().probes();
        AtomicReference<Long> row = new AtomicReference<>();
        AtomicBoolean isReadyToCommit = new AtomicBoolean();
        try {
            services.inNew(() -> {
                // Before the row is inserted, so that an outage of the broker writes nothing.
                publisher.probe();
                // Not in the transaction of the probe: a trigger on inserts concerns the capture, and no settlement.
                row.set(services.outside(probes::insert));
                probes.settle(row.get(), services.config().retention());
                isReadyToCommit.set(true);
            });
        } catch (Exception e) {
            if (isReadyToCommit.get() && !TimedOutException.isCauseOf(e)) {
                throw new IllegalStateException(OutboxCode.PROBE_NOT_COMMITTED.text(whyNotCommitted(services, e)), e);
            }
            throw e;
        } finally {
            if (row.get() != null) {
                delete(services, row.get());
            }
        }
    }

    /** Asks the database too, since the container's exception may lack the cause. */
    private static String whyNotCommitted(Services services, Exception e) {
        try {
            PreparedTransactions prepared = services.outside(services.store().probes()::preparedTransactions);
            if (prepared != null && prepared.isExhausted()) {
                return "all %s prepared transactions of the database are in use (max_prepared_transactions)"
                        .formatted(prepared.limit());
            }
        } catch (Exception databaseIsAway) {
            e.addSuppressed(databaseIsAway);
        }
        return FailureReason.of(e);
    }

    /** The sweep deletes a row that stays. */
    private static void delete(Services services, long row) {
        try {
            services.outside(() -> {
                services.store().probes().delete(row);
                return null;
            });
        } catch (Exception e) {
            LOG.log(Level.FINE, "the row of a probe could not be deleted", e);
        }
    }
}
