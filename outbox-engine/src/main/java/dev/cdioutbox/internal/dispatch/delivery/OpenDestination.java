package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.settle.PendingRows;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.spi.DestinationId;

/**
 * A destination that may send, as one snapshot of the configuration says: what its claims and batches have in common, chosen
 * once. {@code DestinationOpening} opens it, and opens it again after a change of the configuration or a failure.
 *
 * @param config with the settings of the destination
 * @param ownerships supplies each claim with what reserves its partitions
 * @param settlements write what becomes of its messages
 * @param pendingRows tell what another transaction has made of them
 * @param probe asks whether the destination works
 * @param lastDelivery when this node has last delivered a message there, by the database's clock; its value is null if it has not
 *     delivered any
 * @param afterCrash whether each batch must be delivered by the recovery from a crash. The only component that changes, with {@code
 *     lastDelivery}
 */
public record OpenDestination(
        DestinationId id,
        OutboxConfig config,
        DestinationPublisher publisher,
        Supplier<DestinationOwnership> ownerships,
        SettlementStore settlements,
        PendingRows pendingRows,
        ProbeTransaction probe,
        AtomicReference<Instant> lastDelivery,
        AtomicBoolean afterCrash) {

    /** How many threads of this node may send at a time. */
    public int threads() {
        return publisher.protocol().threads(config.dispatcher().concurrency());
    }

    /**
     * The limits of one claim.
     *
     * @param livingNodes the number of nodes that may send; 0 if it is unknown
     */
    public ClaimLimits claimLimits(int livingNodes) {
        int sharing = publisher.protocol().ownsDestination() ? 1 : livingNodes;
        return ClaimLimits.of(config, threads(), sharing);
    }
}
