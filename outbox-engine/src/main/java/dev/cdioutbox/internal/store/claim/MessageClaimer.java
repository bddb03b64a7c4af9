package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;

import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Connections.LocalTransaction;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Opens claims. Thread-safe; one thread uses a {@link Claim}. */
public final class MessageClaimer implements ClaimStore {
    private final ReadWatermark watermark;
    private final PartitionClaim partitionClaim;
    private final WaitingDestinations waiting;
    private final BatchReader reader;
    private final BlockedKeyMaintenance maintenance;
    private final HeldLeases leases;
    private final FencingTokenTable tokens;
    private final Connections connections;
    private final PartitionIds partitions;

    public MessageClaimer(Connections connections, Sql sql, PartitionIds partitions, ReadWatermark watermark) {
        this.connections = connections;
        this.partitions = partitions;
        this.partitionClaim = new PartitionClaim(sql, partitions, watermark);
        this.waiting = new WaitingDestinations(sql, partitions, watermark);
        this.maintenance = new BlockedKeyMaintenance(sql, watermark);
        this.reader = new BatchReader(sql, watermark, maintenance);
        this.leases = new HeldLeases(sql);
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
    public DestinationReservation wholeDestination(String destination, Owner owner) {
        return new DestinationReservation(destination, partitionClaim, tokens, owner);
    }

    @Override
    public Claim claim(Reservation reservation, long afterPartition, ClaimLimits limits, LockProbe probe)
            throws Exception {
        try {
            return open(connections.begin(), reservation, afterPartition, limits, probe);
        } catch (Exception e) {
            // Perhaps a replica has taken over: the next claim looks for messages below the watermarks.
            watermark.querySoon();
            throw e instanceof SQLException failure ? failed(reservation, failure) : e;
        }
    }

    private static RuntimeException failed(Reservation reservation, SQLException e) {
        return Connections.failed("claiming messages for destination '" + reservation.destination() + "'", e);
    }

    private Claim open(
            LocalTransaction transaction, Reservation reservation, long after, ClaimLimits limits, LockProbe probe)
            throws Exception {
        try {
            Connection connection = transaction.connection();
            // Refresh before the lock: the query may be slow, and the reads after it see all transactions that ended
            // before it.
            watermark.refresh(connection);
            Partitions partitions = reservation.reserve(connection, after, limits);
            Batch batch = read(connection, reservation, partitions, limits, probe);
            return new Claim(transaction, reservation, partitions, after, batch, maintenance);
        } catch (Exception | Error e) {
            // An open connection would keep the partitions, also after an OutOfMemoryError.
            Claim.release(transaction, reservation);
            throw e;
        }
    }

    private Batch read(
            Connection connection, Reservation reservation, Partitions partitions, ClaimLimits limits, LockProbe probe)
            throws BatchReadException {
        try {
            Batch batch = reader.read(connection, reservation, partitions, limits, probe);
            reservation.endRead(connection);
            return batch;
        } catch (Exception | Error e) {
            Throwable cause = e instanceof SQLException failure ? failed(reservation, failure) : e;
            throw new BatchReadException(
                    partitions.ids().stream().reduce((first, second) -> second).orElse(null), cause);
        }
    }

    @Override
    public Set<String> waitingDestinations() {
        try {
            return connections.inLocalTransaction("looking for waiting messages", connection -> {
                watermark.refresh(connection);
                return waiting.find(connection);
            });
        } catch (RuntimeException e) {
            // As after a claim that has failed.
            watermark.querySoon();
            throw e;
        }
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
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
