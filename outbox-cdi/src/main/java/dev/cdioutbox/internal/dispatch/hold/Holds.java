package dev.cdioutbox.internal.dispatch.hold;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.HolderToken;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.claim.Reservation;

/**
 * Creates the holds of one destination on this node: the only place that chooses how it is claimed. Keeps from one claim to the
 * next what the node has last written. Thread-safe.
 */
public final class Holds {
    private final String destination;
    private final Services services;
    private final ForeignHold foreign;
    private final AtomicReference<HolderToken> lastWritten = new AtomicReference<>();

    public Holds(String destination, Services services) {
        this.destination = destination;
        this.services = services;
        foreign = new ForeignHold(services.config().label(destination));
    }

    /** The hold of the next claim. */
    public Hold of(OutboxConfig config) {
        DestinationPublisher publisher = DestinationPublisher.of(services, destination, config);
        if (publisher.protocol().ownsDestination()) {
            return new MarkerHold(
                    services,
                    publisher,
                    config.retention(),
                    services.store().claims().wholeDestination(destination),
                    lastWritten,
                    foreign);
        }
        // No marker will tell what is sent meanwhile.
        lastWritten.set(null);
        foreign.ended();
        return new NoHold(publisher, reservation(config));
    }

    private Reservation reservation(OutboxConfig config) {
        ClaimStore claims = services.store().claims();
        Duration lease = config.dispatcher().lease();
        return lease == null ? claims.rowLocks(destination) : claims.lease(destination, lease);
    }
}
