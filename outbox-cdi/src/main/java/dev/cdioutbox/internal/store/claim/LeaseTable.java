package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim.Lease;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;

/** Writes leases into the rows of partitions. All times are the database's, so that only one clock counts. */
public final class LeaseTable {
    /** In seconds. Other nodes lock a partition's row for a moment only. */
    private static final int TIMEOUT_SECONDS = 30;

    private final String take;
    private final String renew;
    private final String giveBack;
    private final String fence;

    public LeaseTable(String prefix, Dialect dialect) {
        String partition = prefix + "partition";
        take = """
                UPDATE %s SET owner = ?, leased_until = %s
                WHERE id = ? AND (leased_until IS NULL OR leased_until <= %s)""".formatted(dialect.byPrimaryKey(partition), dialect.nowPlusMillis(), dialect.now());
        renew = "UPDATE " + dialect.byPrimaryKey(partition) + " SET leased_until = " + dialect.nowPlusMillis()
                + " WHERE owner = ? AND id IN (%s)";
        giveBack = "UPDATE " + dialect.byPrimaryKey(partition)
                + " SET owner = NULL, leased_until = NULL WHERE owner = ? AND id IN (%s)";
        fence = dialect.lock("id", dialect.byPrimaryKey(partition), "owner = ? AND id IN (%s)");
    }

    /** Leases partitions without a valid lease, each in a separate transaction. */
    public Lease take(Connection connection, List<Integer> candidates, int most, Duration length) throws SQLException {
        String owner = UUID.randomUUID().toString();
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < candidates.size() && taken.size() < most; i++) {
            int updated = JdbcStatement.of(connection, take, owner, length.toMillis(), candidates.get(i))
                    .within(TIMEOUT_SECONDS)
                    .update();
            if (updated == 1) {
                taken.add(candidates.get(i));
            }
            connection.commit();
        }
        return new Lease(owner, taken, length);
    }

    /** @return whether all partitions still belong to this owner */
    public boolean renew(Connection connection, Lease lease) throws SQLException {
        int renewed = JdbcStatement.of(connection, renew, lease.length().toMillis(), lease.owner(), lease.partitions())
                .within(TIMEOUT_SECONDS)
                .update();
        return renewed == lease.partitions().size();
    }

    public void giveBack(Connection connection, Lease lease) throws SQLException {
        JdbcStatement.of(connection, giveBack, lease.owner(), lease.partitions())
                .within(TIMEOUT_SECONDS)
                .update();
    }

    /**
     * Locks the partitions of a lease until the transaction ends, so that no other node leases them.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0312 if one of them has another owner
     */
    public void fence(Connection connection, Lease lease) throws SQLException {
        int kept = JdbcStatement.of(connection, fence, lease.owner(), lease.partitions())
                .within(TIMEOUT_SECONDS)
                .numbers()
                .size();
        int leased = lease.partitions().size();
        if (kept != leased) {
            throw Problem.LEASE_LOST.exception(lease.length(), leased - kept, leased);
        }
    }
}
