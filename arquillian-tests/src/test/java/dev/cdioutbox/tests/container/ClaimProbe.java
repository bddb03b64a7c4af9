package dev.cdioutbox.tests.container;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import jakarta.ejb.EJB;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;

/** Claims as the dispatcher does, and counts the partitions that another node could claim at the same time. */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ClaimProbe {
    /**
     * The JNDI name of this destination is unbound: its messages stay pending, and the dispatcher soon releases them.
     */
    static final String DESTINATION = "absent";

    private static final ClaimLimits LIMITS = new ClaimLimits(PartitionRange.ALL, 64, 500, 1_000_000);

    @EJB
    Transactions transactions;

    private JdbcOutboxStore store;

    @Inject
    void use(Outboxes outboxes) {
        store = outboxes.standard().store();
    }

    /**
     * The number of partitions that another node can claim while this claim is open and has probed its rows for locks.
     */
    public int claimableByAnotherNode() throws Exception {
        try (Claim claim = store.claims().claim(store.claims().rowLocks(DESTINATION), 0, LIMITS, this::lockable)) {
            if (claim.messages().isEmpty()) {
                throw new IllegalStateException("nothing to claim");
            }
            List<Long> sequences =
                    claim.messages().stream().map(OutboxMessage::sequence).toList();
            if (transactions
                            .outside(() -> store.pendingRows().lockable(sequences))
                            .size()
                    != sequences.size()) {
                throw new IllegalStateException("the claim itself keeps messages locked");
            }
            return transactions.outside(this::claimable);
        }
    }

    /** The same for a claim by lease, after its renewal. Such a claim holds no row lock. */
    public int claimableThoughLeased() throws Exception {
        try (Claim claim = store.claims()
                .claim(store.claims().lease(DESTINATION, Duration.ofMinutes(1)), 0, LIMITS, this::lockable)) {
            if (claim.messages().isEmpty()) {
                throw new IllegalStateException("nothing to claim");
            }
            transactions.outside(() -> {
                store.claims().renewLeases();
                return null;
            });
            return transactions.outside(this::claimable);
        }
    }

    private Set<Long> lockable(Collection<Long> sequences) throws Exception {
        return transactions.outside(() -> store.pendingRows().lockable(sequences));
    }

    /** The number of partitions that can be claimed now. */
    public int claimable() throws Exception {
        try (Claim other = store.claims().claim(store.claims().rowLocks(DESTINATION), 0, LIMITS, this::lockable)) {
            return other.partitions().size();
        }
    }
}
