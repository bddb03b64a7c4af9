package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Writes leases into the rows of partitions, and knows those that this node holds. Another claim may take a partition when
 * its lease has ended, even while the claim before still sends; {@link #fence} finds that out. All times are the
 * database's, so that only one clock counts. Thread-safe.
 */
final class HeldLeases {
    private final String planByIndex;
    private final String lockUnleased;
    private final String take;
    private final String lockFree;
    private final String renew;
    private final String giveBack;
    private final String fence;
    private final Set<Lease> held = ConcurrentHashMap.newKeySet();

    HeldLeases(Sql sql) {
        planByIndex = sql.dialect().planByIndex();
        lockUnleased = sql.of("""
                SELECT id FROM {partition} /*! FORCE INDEX (PRIMARY) */
                WHERE id = :id AND (leased_until IS NULL OR leased_until <= {now}) FOR UPDATE SKIP LOCKED""");
        take = sql.of("""
                UPDATE {partition} /*! FORCE INDEX (PRIMARY) */ SET owner = :owner, leased_until = {now + :length}
                WHERE id = :id""");
        lockFree = sql.of("""
                SELECT id FROM {partition} /*! FORCE INDEX (PRIMARY) */
                WHERE owner = :owner AND id IN (:partitions) FOR UPDATE SKIP LOCKED""");
        renew = sql.of("""
                UPDATE {partition} /*! FORCE INDEX (PRIMARY) */ SET leased_until = {now + :length}
                WHERE id IN (:partitions)""");
        giveBack = sql.of("""
                UPDATE {partition} /*! FORCE INDEX (PRIMARY) */ SET owner = NULL, leased_until = NULL
                WHERE owner = :owner AND id IN (:partitions)""");
        fence = sql.of("""
                SELECT id FROM {partition} /*! FORCE INDEX (PRIMARY) */
                WHERE owner = :owner AND id IN (:partitions) FOR UPDATE""");
    }

    /**
     * Leases partitions that are neither leased nor locked, each in a separate transaction. Gives them back if one of these
     * transactions fails.
     *
     * @param most the number of partitions to take
     */
    Lease take(Connection connection, List<Long> candidates, int most, Duration length) throws SQLException {
        String owner = UUID.randomUUID().toString();
        List<Long> taken = new ArrayList<>();
        try {
            for (int i = 0; i < candidates.size() && taken.size() < most; i++) {
                long candidate = candidates.get(i);
                // Does not wait for the row: a suspended node may keep it locked after its lease has run out.
                Long free =
                        statement(connection, lockUnleased).set("id", candidate).number();
                if (free != null) {
                    statement(connection, take)
                            .set("owner", owner)
                            .set("length", length.toMillis())
                            .set("id", candidate)
                            .update();
                    taken.add(candidate);
                }
                connection.commit();
            }
            planByIndex(connection);
        } catch (SQLException | RuntimeException e) {
            giveBackAfter(e, connection, new Lease(owner, taken, length));
            throw e;
        }
        Lease lease = new Lease(owner, taken, length);
        if (!taken.isEmpty()) {
            held.add(lease);
        }
        return lease;
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
    Set<Lease> held() {
        return held;
    }

    /**
     * Renews a lease, unless another claim has taken it. Skips partitions that the settlement has locked: no
     * other claim can take those, and waiting for them would let the other leases of this node expire.
     */
    void renew(Connection connection, Lease lease) throws SQLException {
        List<Long> free = statement(connection, lockFree)
                .set("owner", lease.owner())
                .set("partitions", lease.partitions())
                .numbers();
        if (!free.isEmpty()) {
            statement(connection, renew)
                    .set("length", lease.length().toMillis())
                    .set("partitions", free)
                    .update();
        }
    }

    void stopRenewing(Lease lease) {
        held.remove(lease);
    }

    void giveBack(Connection connection, Lease lease) throws SQLException {
        if (!lease.partitions().isEmpty()) {
            statement(connection, giveBack)
                    .set("owner", lease.owner())
                    .set("partitions", lease.partitions())
                    .update();
        }
    }

    /**
     * Locks the partitions of a lease until the transaction ends, so that no other node leases them.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0312 if one of them has another owner
     */
    void fence(Connection connection, Lease lease) throws SQLException {
        int kept = statement(connection, fence)
                .set("owner", lease.owner())
                .set("partitions", lease.partitions())
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

    private static JdbcStatement statement(Connection connection, String text) {
        return JdbcStatement.of(connection, text).within(JdbcStatement.LOCK_WAIT_SECONDS);
    }
}
