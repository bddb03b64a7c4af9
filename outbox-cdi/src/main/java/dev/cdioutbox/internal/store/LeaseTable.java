package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import dev.cdioutbox.internal.problem.Problem;

/** Writes leases into the rows of partitions. Their times are the database's, so that no two nodes compare clocks. */
final class LeaseTable {
    /** Others hold such a row for a moment only: while they take it, renew it, or settle. */
    private static final int TIMEOUT_SECONDS = 30;

    private final LeaseStatements sql;

    LeaseTable(LeaseStatements sql) {
        this.sql = sql;
    }

    /** Takes partitions of which nobody has a lease that still runs, each in a transaction of its own. */
    Lease take(OwnTransaction transaction, List<Integer> candidates, int most, Duration length) throws SQLException {
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

    /** @return whether all of it was still this owner's */
    boolean renew(Connection connection, Lease lease) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(sql.renew(lease.partitions().size()))) {
            update.setQueryTimeout(TIMEOUT_SECONDS);
            update.setLong(1, lease.length().toMillis());
            bind(update, 2, lease);
            return update.executeUpdate() == lease.partitions().size();
        }
    }

    void giveBack(Connection connection, Lease lease) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(sql.giveBack(lease.partitions().size()))) {
            update.setQueryTimeout(TIMEOUT_SECONDS);
            bind(update, 1, lease);
            update.executeUpdate();
        }
    }

    /**
     * Keeps the partitions from being taken until the transaction ends.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0312 if another owner has one of them
     */
    void fence(Connection connection, Lease lease) throws SQLException {
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
