package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.util.List;

import dev.cdioutbox.internal.store.FencingToken;

/** Locks a destination as a whole, so that there is no other claim of it, and reads its {@link FencingToken}. */
public final class DestinationReservation extends RowLockReservation {
    private final PartitionClaim partitions;
    private final FencingTokenTable tokens;
    private final Owner owner;

    DestinationReservation(String destination, PartitionClaim partitions, FencingTokenTable tokens, Owner owner) {
        super(destination, partitions);
        this.partitions = partitions;
        this.tokens = tokens;
        this.owner = owner;
    }

    /**
     * Locks the destination first, and then its partitions. In the other order, two claims could each lock a partition that
     * the other one needs, and both give up.
     */
    @Override
    public Partitions reserve(Connection connection, long after, ClaimLimits limits) throws Exception {
        Partitions found = partitions.find(connection, destination(), after, limits);
        if (found.ids().isEmpty()) {
            if (limits.range().equals(PartitionRange.ALL)) {
                owner.nothingWaits();
            }
            return found;
        }
        boolean isFree = tokens.lock(connection, destination());
        // Before the rows, so that it changes if another owner settles one of them.
        FencingToken token = tokens.read(connection, destination());
        if (!isFree) {
            owner.ownedElsewhere(token);
            return found.only(List.of());
        }
        owner.owned(token);
        return super.reserve(connection, after, limits);
    }

    /**
     * Replaces the token, in the caller's JTA transaction.
     *
     * @param before null if there was none
     * @return false if another owner has replaced it
     */
    public boolean replace(FencingToken before, FencingToken after) {
        return tokens.replace(destination(), before, after);
    }
}
