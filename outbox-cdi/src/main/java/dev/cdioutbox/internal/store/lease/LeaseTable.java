package dev.cdioutbox.internal.store.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Lease;
import dev.cdioutbox.internal.store.sql.OwnTransaction;

/** Writes leases into the rows of partitions. All times are the database's, so that only one clock counts. */
public final class LeaseTable {
    /** In seconds. Other nodes lock a partition's row for a moment only. */
    private static final int TIMEOUT_SECONDS = 30;

    private final LeaseStatements sql;

    public LeaseTable(LeaseStatements sql) {
        this.sql = sql;
    }

    /** Leases partitions without a valid lease, each in a separate transaction. */
    public Lease take(OwnTransaction transaction, List<Integer> candidates, int most, Duration length)
            throws SQLException {
        String owner = UUID.randomUUID().toString();
        List<Integer> taken = new ArrayList<>();
        try (PreparedStatement update = transaction.connection().prepareStatement(sql.take)) {
            update.setQueryTimeout(TIMEOUT_SECONDS);
            for (int i = 0; i < candidates.size() && taken.size() < most; i++) {
                update.setString(1, owner);
                update.setLong(2, length.toMillis());
                update.setInt(3, candidates.get(i));
                if (update.executeUpdate() == 1) {
                    taken.add(candidates.get(i));
                }
                transaction.commit();
            }
        }
        return new Lease(owner, taken, length);
    }

    /** @return whether all partitions still belong to this owner */
    public boolean renew(Connection connection, Lease lease) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(sql.renew(lease.partitions().size()))) {
            update.setQueryTimeout(TIMEOUT_SECONDS);
            update.setLong(1, lease.length().toMillis());
            bind(update, 2, lease);
            return update.executeUpdate() == lease.partitions().size();
        }
    }

    public void giveBack(Connection connection, Lease lease) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(sql.giveBack(lease.partitions().size()))) {
            update.setQueryTimeout(TIMEOUT_SECONDS);
            bind(update, 1, lease);
            update.executeUpdate();
        }
    }

    /**
     * Locks the partitions of a lease until the transaction ends, so that no other node leases them.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0312 if one of them has another owner
     */
    public void fence(Connection connection, Lease lease) throws SQLException {
        int kept = 0;
        try (PreparedStatement select =
                connection.prepareStatement(sql.fence(lease.partitions().size()))) {
            select.setQueryTimeout(TIMEOUT_SECONDS);
            bind(select, 1, lease);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    kept++;
                }
            }
        }
        if (kept != lease.partitions().size()) {
            throw Problem.LEASE_LOST.exception(
                    lease.length(),
                    lease.partitions().size() - kept,
                    lease.partitions().size());
        }
    }

    private static void bind(PreparedStatement statement, int parameter, Lease lease) throws SQLException {
        statement.setString(parameter, lease.owner());
        for (int i = 0; i < lease.partitions().size(); i++) {
            statement.setInt(parameter + 1 + i, lease.partitions().get(i));
        }
    }
}
