package dev.cdioutbox.internal.dispatch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.internal.store.Lease;
import dev.cdioutbox.internal.store.OutboxStore;

/** Renews the leases of batches that are being sent, from a thread that no broker holds up. Thread-safe. */
final class LeaseKeeper {
    private final OutboxStore store;
    private final Transactions transactions;
    private final Map<Lease, Long> renewed = new ConcurrentHashMap<>();

    LeaseKeeper(OutboxStore store, Transactions transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    /** @param lease null if there is nothing to keep */
    void keep(Lease lease, long nanos) {
        if (lease != null) {
            renewed.put(lease, nanos);
        }
    }

    void release(Lease lease) {
        if (lease != null) {
            renewed.remove(lease);
        }
    }

    /** Renews what is older than a third of its length. One that another owner has is not asked for again. */
    void renew(long nanos) {
        renewed.forEach((lease, last) -> {
            if (nanos - last >= lease.length().toNanos() / 3) {
                if (Transactions.apart(transactions, "renewing a lease", () -> store.renew(lease))) {
                    // Unless the batch has ended meanwhile.
                    renewed.replace(lease, last, nanos);
                } else {
                    renewed.remove(lease);
                }
            }
        });
    }
}
