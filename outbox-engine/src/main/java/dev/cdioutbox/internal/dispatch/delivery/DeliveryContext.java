package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Instant;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.settle.PendingRows;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.spi.DestinationId;

/** What the batch of a claim is delivered with, in all of its transactions. */
public record DeliveryContext(
        Environment environment, OpenDestination destination, DestinationOwnership ownership, Claim claim) {

    /** The id of the destination. */
    public DestinationId id() {
        return destination.id();
    }

    /** The configuration for this batch. */
    public OutboxConfig config() {
        return destination.config();
    }

    /** Writes what becomes of the messages. */
    public SettlementStore settlements() {
        return destination.settlements();
    }

    /** Tells what another transaction has made of messages. */
    public PendingRows pendingRows() {
        return destination.pendingRows();
    }

    /** How the messages are sent and settled. */
    DeliveryProtocol protocol() {
        return ownership.publisher().protocol();
    }

    /** The time of the database. */
    public Instant now() {
        return claim.clock().now();
    }
}
