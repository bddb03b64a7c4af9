package dev.cdioutbox.internal.dispatch.upkeep;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.Lease;
import dev.cdioutbox.internal.store.OutboxStore;

/** Renews the leases of batches in flight, on a thread that no broker can block. Thread-safe. */
public final class LeaseRenewer {
    private static final Logger LOG = Logger.getLogger(LeaseRenewer.class.getName());

    private final OutboxStore store;
    private final Transactions transactions;
    private final Map<Lease, Long> renewed = new ConcurrentHashMap<>();

    public LeaseRenewer(OutboxStore store, Transactions transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    /** @param lease null for a claim by lock; without partitions if another node holds them all */
    public void keep(Lease lease, long nanos) {
        if (lease != null && !lease.partitions().isEmpty()) {
            renewed.put(lease, nanos);
        }
    }

    public void release(Lease lease) {
        if (lease != null) {
            renewed.remove(lease);
        }
    }

    /** Renews each lease that is older than a third of its length, and forgets leases that another node has taken. */
    public void renew(long nanos) {
        renewed.forEach((lease, last) -> {
            if (nanos - last >= lease.length().toNanos() / 3) {
                renew(lease, last, nanos);
            }
        });
    }

    /** On failure the next call follows in a second; the settlement of the batch detects an expired lease. */
    private void renew(Lease lease, long last, long nanos) {
        try {
            if (transactions.outside(() -> store.renew(lease))) {
                // No effect if the batch has ended meanwhile.
                renewed.replace(lease, last, nanos);
            } else {
                renewed.remove(lease);
            }
        } catch (Exception e) {
            LOG.log(Level.FINE, "a lease could not be renewed", e);
        }
    }
}
