package dev.cdioutbox.internal.dispatch.ownership;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.claim.Reservation;

/**
 * Opens one destination for a claim of this node, and is the only place that chooses how it is claimed. Keeps from one claim to
 * the next what the node has last written. Thread-safe.
 */
public final class DestinationOwnerships {
    private final String destination;
    private final Services services;
    private final ForeignOwnerMonitor others;
    private final AtomicReference<FencingToken> lastWritten = new AtomicReference<>();

    public DestinationOwnerships(String destination, Services services) {
        this.destination = destination;
        this.services = services;
        others = new ForeignOwnerMonitor(services.config().label(destination));
    }

    /** Opens the destination for the next claim. */
    public DestinationOwnership open(OutboxConfig config) {
        DestinationPublisher publisher = DestinationPublisher.of(services, destination, config);
        if (publisher.protocol().ownsDestination()) {
            return new MarkerOwnership(
                    services,
                    publisher,
                    config.retention(),
                    services.store().claims().wholeDestination(destination),
                    lastWritten,
                    others);
        }
        // No marker will tell what is sent meanwhile.
        lastWritten.set(null);
        others.ended();
        return new SharedOwnership(publisher, reservation(config));
    }

    private Reservation reservation(OutboxConfig config) {
        ClaimStore claims = services.store().claims();
        Duration lease = config.dispatcher().lease();
        return lease == null ? claims.rowLocks(destination) : claims.lease(destination, lease);
    }
}
