package dev.cdioutbox.internal.store.claim;

import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.PartitionTable;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Opens claims, and has the parts that all of them share. Thread-safe; one thread uses an {@link OpenClaim}. */
public final class MessageClaimer {
    final ReadWatermark watermark;
    final PartitionQuery partitions;
    final LeaseTable leases;
    final QueueReader reader;
    final BlockedKeys blockedKeys;
    private final Connections connections;

    public MessageClaimer(
            Connections connections,
            String application,
            Sql sql,
            PartitionTable partitions,
            LeaseTable leases,
            ReadWatermark watermark) {
        this.connections = connections;
        this.partitions = new PartitionQuery(application, sql, partitions, watermark);
        this.reader = new QueueReader(sql);
        this.blockedKeys = new BlockedKeys(sql, watermark);
        this.leases = leases;
        this.watermark = watermark;
    }

    /**
     * Opens a claim on a separate connection.
     *
     * @param after the last served partition
     */
    public Claim claim(String destination, int after, Claim.Limits limits, Claim.LockProbe probe) throws Exception {
        OpenClaim claim = new OpenClaim(this, connections.begin(), destination, after, limits);
        try {
            return claim.open(probe);
        } catch (Exception | Error e) {
            // An open connection would keep the partitions, also after an OutOfMemoryError.
            claim.close();
            throw e;
        }
    }
}
