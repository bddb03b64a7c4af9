package dev.cdioutbox.internal.dispatch.ownership;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.spi.DestinationId;

/**
 * Chooses how a destination is claimed, by its configuration, and keeps what the node has last written when that is chosen anew.
 * Thread-safe.
 */
public final class DestinationOwnerships {
    private final DestinationId destination;
    private final Environment environment;
    private final ClaimStore claims;
    private final SettlementStore settlements;
    private final ForeignOwnerMonitor others;
    private AtomicReference<FencingToken> lastWritten = new AtomicReference<>();

    public DestinationOwnerships(
            DestinationId destination, Environment environment, ClaimStore claims, SettlementStore settlements) {
        this.destination = destination;
        this.environment = environment;
        this.claims = claims;
        this.settlements = settlements;
        others = new ForeignOwnerMonitor(destination);
    }

    /**
     * The only place that chooses.
     *
     * @param config with the settings of the destination
     * @return supplies what each claim needs
     */
    public synchronized Supplier<DestinationOwnership> choose(DestinationPublisher publisher, OutboxConfig config) {
        if (publisher.protocol().ownsDestination()) {
            AtomicReference<FencingToken> written = lastWritten;
            return () -> new MarkerOwnership(
                    destination, environment, claims, settlements, publisher, config.retention(), written, others);
        }
        // No marker will tell what is sent meanwhile. A claim that has begun before does not change the new one.
        lastWritten = new AtomicReference<>();
        others.ended();
        Duration lease = config.dispatcher().lease();
        Function<String, Reservation> reservations =
                lease == null ? claims::rowLocks : name -> claims.lease(name, lease);
        return SharedOwnership.ofEachClaim(publisher, destination.name(), reservations);
    }
}
