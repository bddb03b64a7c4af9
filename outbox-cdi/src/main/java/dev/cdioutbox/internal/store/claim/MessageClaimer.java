package dev.cdioutbox.internal.store.claim;

import java.time.Duration;

import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Opens claims, and has the parts that all of them share. Thread-safe; one thread uses a {@link Claim}. */
public final class MessageClaimer implements ClaimStore {
    final ReadWatermark watermark;
    final QueueReader reader;
    final BlockedKeys blockedKeys;
    private final PartitionClaim partitionClaim;
    private final LeaseTable leases;
    private final FencingTokenTable tokens;
    private final Connections connections;
    private final PartitionIds partitions;

    public MessageClaimer(Connections connections, Sql sql, PartitionIds partitions, ReadWatermark watermark) {
        this.connections = connections;
        this.partitions = partitions;
        this.partitionClaim = new PartitionClaim(sql, partitions, watermark);
        this.reader = new QueueReader(sql);
        this.blockedKeys = new BlockedKeys(sql, watermark);
        this.leases = new LeaseTable(sql);
        this.tokens = new FencingTokenTable(connections, sql, partitions);
        this.watermark = watermark;
    }

    @Override
    public long partitionOf(NewMessage message) {
        return partitions.home(message);
    }

    @Override
    public Reservation rowLocks(String destination) {
        return new RowLockReservation(destination, partitionClaim);
    }

    @Override
    public Reservation lease(String destination, Duration length) {
        return new LeaseReservation(destination, connections, partitionClaim, leases, length);
    }

    @Override
    public DestinationReservation wholeDestination(String destination) {
        return new DestinationReservation(destination, partitionClaim, tokens);
    }

    @Override
    public Claim claim(Reservation reservation, long afterPartition, ClaimLimits limits, LockProbe probe) {
        try {
            return Claim.open(this, connections.begin(), reservation, afterPartition, limits, probe);
        } catch (Exception e) {
            // Perhaps a replica has taken over: the next claim looks for messages below the watermarks.
            watermark.querySoon();
            throw Connections.failed("claiming messages for destination '" + reservation.destination() + "'", e);
        }
    }

    @Override
    public boolean isWaiting(String destination) {
        return connections.inLocalTransaction("looking for waiting messages", connection -> {
            watermark.refresh(connection);
            return partitionClaim.isWaiting(connection, destination);
        });
    }

    @Override
    public void renewLeases() {
        RuntimeException failure = null;
        for (Lease lease : leases.held()) {
            try {
                connections.inLocalTransaction("renewing a lease", connection -> {
                    leases.renew(connection, lease);
                    connection.commit();
                    return null;
                });
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
