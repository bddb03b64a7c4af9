package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Instant;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.store.claim.Claim;

/**
 * What the batch of a claim is delivered with, in all of its transactions.
 *
 * @param config the snapshot of the configuration for this batch
 */
public record DeliveryContext(Services services, String destination, OutboxConfig config, Claim claim) {

    /** The name of the destination, unique among all outboxes. */
    String label() {
        return config.label(destination);
    }

    /** The destination that really gets the messages: the shadow destination, if there is one. */
    String target() {
        return config.dispatcher().targetOf(destination);
    }

    /** The shadow destination, or null. */
    String shadow() {
        return config.dispatcher().shadowDestination();
    }

    /** The time of the database. */
    Instant now() {
        return claim.clock().now();
    }
}
