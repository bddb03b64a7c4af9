package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.store.HolderToken;
import dev.cdioutbox.internal.store.claim.PartitionQuery.Partitions;

/** Locks a destination as a whole, so that there is no other claim of it, and reads its {@link HolderToken}. */
public final class DestinationReservation extends RowLockReservation {
    private final PartitionQuery query;
    private final HolderTable holders;
    private HolderToken token;

    DestinationReservation(String destination, PartitionQuery query, HolderTable holders) {
        super(destination, query);
        this.query = query;
        this.holders = holders;
    }

    /**
     * Locks the destination first, and then its partitions. In the other order, two claims could each lock a partition that
     * the other one needs, and both give up.
     */
    @Override
    public Partitions reserve(Connection connection, long after, ClaimLimits limits) throws SQLException {
        Partitions found = query.select(connection, destination(), after, limits);
        if (found.ids().isEmpty()) {
            return found;
        }
        boolean isHeld = holders.lock(connection, destination());
        // Before the rows, so that it changes if another holder settles one of them.
        token = holders.read(connection, destination());
        return isHeld ? super.reserve(connection, after, limits) : found.only(List.of());
    }

    /** Who holds the destination, this claim or another one; null if it has never been held, or has nothing to send. */
    public HolderToken token() {
        return token;
    }

    /**
     * Replaces the token, in the caller's JTA transaction.
     *
     * @param before null if there was none
     * @return false if another holder has replaced it
     */
    public boolean replace(HolderToken before, HolderToken after) {
        return holders.replace(destination(), before, after);
    }
}
