package dev.cdioutbox.internal.dispatch.upkeep;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.Lease;
import dev.cdioutbox.internal.store.OutboxStore;

/** Renews the leases of batches in flight, on a thread that no broker can block. Thread-safe. */
public final class LeaseRenewer {
    private final OutboxStore store;
    private final Transactions transactions;
    private final Map<Lease, Long> renewed = new ConcurrentHashMap<>();

    public LeaseRenewer(OutboxStore store, Transactions transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    /** @param lease null for a claim by lock */
    public void keep(Lease lease, long nanos) {
        if (lease != null) {
            renewed.put(lease, nanos);
        }
    }

    public void release(Lease lease) {
        if (lease != null) {
            renewed.remove(lease);
        }
    }

    /**
     * Renews each lease that is older than a third of its length, and forgets leases that another node has taken.
     * Failures are thrown after all leases were tried: one failure must not let the other leases expire.
     */
    public void renew(long nanos) {
        RuntimeException failure = null;
        for (Map.Entry<Lease, Long> entry : renewed.entrySet()) {
            try {
                renew(entry.getKey(), entry.getValue(), nanos);
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void renew(Lease lease, long last, long nanos) {
        if (nanos - last < lease.length().toNanos() / 3) {
            return;
        }
        if (Transactions.callStore(transactions, "renewing a lease", () -> store.renew(lease))) {
            // No effect if the batch has ended meanwhile.
            renewed.replace(lease, last, nanos);
        } else {
            renewed.remove(lease);
        }
    }
}
