package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.store.claim.Claim;

/**
 * What the batch of a claim is delivered with, in all of its transactions.
 *
 * @param config the snapshot of the configuration for this batch
 * @param lastDelivery when this node has last delivered a message to the destination, by the database's clock; its value is
 *     null if it has not delivered any
 */
public record DeliveryContext(
        Services services,
        String destination,
        OutboxConfig config,
        Claim claim,
        AtomicReference<Instant> lastDelivery) {

    /** The name of the destination, unique among all outboxes. */
    public String label() {
        return config.label(destination);
    }

    /** The time of the database. */
    public Instant now() {
        return claim.clock().now();
    }
}
