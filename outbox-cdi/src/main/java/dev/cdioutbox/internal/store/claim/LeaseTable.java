package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.claim.PartitionQuery.Partitions;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Writes leases into the rows of partitions, and knows those that this node holds. Another claim may take a partition when
 * its lease has ended, even while the claim before still sends; {@link #fence} finds that out. All times are the
 * database's, so that only one clock counts. Thread-safe.
 */
public final class LeaseTable {
    private final String planByIndex;
    private final String lockUnleased;
    private final String take;
    private final String lockFree;
    private final String renew;
    private final String giveBack;
    private final String fence;
    private final Set<Lease> held = ConcurrentHashMap.newKeySet();

    public LeaseTable(Sql sql) {
        planByIndex = sql.dialect().planByIndex();
        lockUnleased =
                sql.lockSkipLocked("id", "partition", "id = ? AND (leased_until IS NULL OR leased_until <= {now})");
        take = sql.of("UPDATE {partition by key} SET owner = ?, leased_until = {now+ms} WHERE id = ?");
        lockFree = sql.lockSkipLocked("id", "partition", "owner = ? AND id IN (%s)");
        renew = sql.of("UPDATE {partition by key} SET leased_until = {now+ms} WHERE id IN (%s)");
        giveBack = sql.of(
                "UPDATE {partition by key} SET owner = NULL, leased_until = NULL WHERE owner = ? AND id IN (%s)");
        fence = sql.lock("id", "partition", "owner = ? AND id IN (%s)");
    }

    /**
     * Leases partitions that are neither leased nor locked, each in a separate transaction. Gives them back if one of these
     * transactions fails.
     */
    Reservation take(Connection connection, Partitions candidates, ClaimLimits limits) throws SQLException {
        String owner = UUID.randomUUID().toString();
        List<Long> taken = new ArrayList<>();
        try {
            for (int i = 0; i < candidates.ids().size() && taken.size() < limits.partitions(); i++) {
                long candidate = candidates.ids().get(i);
                // Does not wait for the row: a suspended node may keep it locked after its lease has run out.
                Long free = JdbcStatement.of(connection, lockUnleased, candidate)
                        .within(JdbcStatement.LOCK_WAIT_SECONDS)
                        .number();
                if (free != null) {
                    update(connection, take, owner, limits.lease().toMillis(), candidate);
                    taken.add(candidate);
                }
                connection.commit();
            }
            planByIndex(connection);
        } catch (SQLException | RuntimeException e) {
            giveBackAfter(e, connection, new Lease(owner, taken, limits.lease()));
            throw e;
        }
        Lease lease = new Lease(owner, taken, limits.lease());
        if (!taken.isEmpty()) {
            held.add(lease);
        }
        return new Reservation(candidates.only(taken), lease, this);
    }

    /** Otherwise the messages of these partitions would wait until an unused lease ends. */
    private void giveBackAfter(Exception failure, Connection connection, Lease lease) {
        try {
            connection.rollback();
            giveBack(connection, lease);
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** The leases of the claims that are open on this node. */
    public Set<Lease> held() {
        return held;
    }

    /**
     * Renews a lease, unless another claim has taken it. Skips partitions that the settlement has locked: no
     * other claim can take those, and waiting for them would let the other leases of this node expire.
     */
    public void renew(Connection connection, Lease lease) throws SQLException {
        List<Long> free = JdbcStatement.of(connection, lockFree, lease.owner(), lease.partitions())
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .numbers();
        if (!free.isEmpty()) {
            update(connection, renew, lease.length().toMillis(), free);
        }
    }

    void stopRenewing(Lease lease) {
        held.remove(lease);
    }

    void giveBack(Connection connection, Lease lease) throws SQLException {
        if (!lease.partitions().isEmpty()) {
            update(connection, giveBack, lease.owner(), lease.partitions());
        }
    }

    /**
     * Locks the partitions of a lease until the transaction ends, so that no other node leases them.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0312 if one of them has another owner
     */
    public void fence(Connection connection, Lease lease) throws SQLException {
        int kept = JdbcStatement.of(connection, fence, lease.owner(), lease.partitions())
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .numbers()
                .size();
        int leased = lease.partitions().size();
        if (kept != leased) {
            throw OutboxCode.LEASE_LOST.exception(lease.length(), leased - kept, leased);
        }
    }

    /** For a new transaction: the setting has ended with the one before. */
    void planByIndex(Connection connection) throws SQLException {
        if (planByIndex != null) {
            JdbcStatement.of(connection, planByIndex).first(row -> null);
        }
    }

    private static int update(Connection connection, String statement, Object... parameters) throws SQLException {
        return JdbcStatement.of(connection, statement, parameters)
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .update();
    }
}
