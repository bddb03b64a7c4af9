package dev.cdioutbox.internal.dispatch.delivery;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Transactions.TimedOutException;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.node.PreparedTransactions;
import dev.cdioutbox.internal.store.node.ProbeStore;

/** The transaction of a batch without its messages: shows whether broker and database commit. Thread-safe. */
public final class ProbeTransaction {
    private static final Logger LOG = Logger.getLogger(ProbeTransaction.class.getName());

    private final Environment environment;
    private final ProbeStore probes;
    private final RetentionConfig retention;

    public ProbeTransaction(Environment environment, ProbeStore probes, RetentionConfig retention) {
        this.environment = environment;
        this.probes = probes;
        this.retention = retention;
    }

    /**
     * Probes a destination in a new transaction. With exactly-once, broker and database commit one transaction with two
     * branches: the same as for a batch, but without its messages.
     *
     * @throws Exception if the destination does not answer, or the transaction cannot commit
     */
    public void commit(DestinationPublisher publisher) throws Exception {
        if (publisher.protocol().settlesApart()) {
            environment.inNew(publisher::probe);
            return;
        }
        AtomicReference<Long> row = new AtomicReference<>();
        AtomicBoolean isReadyToCommit = new AtomicBoolean();
        try {
            environment.inNew(() -> {
                // Before the row is inserted, so that an outage of the broker writes nothing.
                publisher.probe();
                // Not in the transaction of the probe: a trigger on inserts concerns the capture, and no settlement.
                row.set(environment.outside(probes::insert));
                probes.settle(row.get(), retention);
                isReadyToCommit.set(true);
            });
        } catch (Exception e) {
            if (isReadyToCommit.get() && !TimedOutException.isCauseOf(e)) {
                throw new IllegalStateException(OutboxCode.PROBE_NOT_COMMITTED.text(whyNotCommitted(e)), e);
            }
            throw e;
        } finally {
            if (row.get() != null) {
                delete(row.get());
            }
        }
    }

    /**
     * Probes a destination after a failure, whose reason may be that the transport is full. The publisher is asked for room
     * before the transaction: Liberty tries for ever to roll back one for which its message store had no room.
     *
     * @throws Exception as for {@link #commit}, or if the destination has no room
     */
    public void commitAfterFailure(DestinationPublisher publisher) throws Exception {
        environment.outside(() -> {
            publisher.checkRoom();
            return null;
        });
        commit(publisher);
    }

    /** Asks the database too, since the container's exception may lack the cause. */
    private String whyNotCommitted(Exception e) {
        try {
            PreparedTransactions prepared = environment.outside(probes::preparedTransactions);
            if (prepared != null && prepared.isExhausted()) {
                return "all %s prepared transactions of the database are in use (max_prepared_transactions)"
                        .formatted(prepared.limit());
            }
        } catch (Exception databaseIsAway) {
            e.addSuppressed(databaseIsAway);
        }
        return FailureReason.of(e);
    }

    /** The purge deletes a row that stays. */
    private void delete(long row) {
        try {
            environment.outside(() -> {
                probes.delete(row);
                return null;
            });
        } catch (Exception e) {
            LOG.log(Level.FINE, "the row of a probe could not be deleted", e);
        }
    }
}
