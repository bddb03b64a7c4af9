package dev.cdioutbox.internal.dispatch.ownership;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.claim.ClaimStore;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.internal.store.settle.PendingRows;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.spi.DestinationId;

/**
 * Chooses whether this node owns a destination or shares it, by its configuration. Keeps what the node has last written to an own
 * destination, because the choice is made anew with each opening. Thread-safe.
 */
public final class DestinationOwnerships {
    private final DestinationId destination;
    private final Environment environment;
    private final ClaimStore claims;
    private final SettlementStore settlements;
    private final PendingRows pendingRows;
    private final ForeignOwnerMonitor others;
    private LastWritten lastWritten = new LastWritten();

    public DestinationOwnerships(
            DestinationId destination,
            Environment environment,
            ClaimStore claims,
            SettlementStore settlements,
            PendingRows pendingRows) {
        this.destination = destination;
        this.environment = environment;
        this.claims = claims;
        this.settlements = settlements;
        this.pendingRows = pendingRows;
        others = new ForeignOwnerMonitor(destination, environment.nanos());
    }

    /**
     * The only place that chooses.
     *
     * @param config with the settings of the destination
     * @return supplies what each claim needs
     */
    public synchronized Supplier<DestinationOwnership> choose(DestinationPublisher publisher, OutboxConfig config) {
        if (publisher.protocol().ownsDestination()) {
            return byMarkers(publisher, config.retention());
        }
        // No marker will tell what is sent meanwhile. A claim that has begun before does not change the new one.
        lastWritten = new LastWritten();
        others.ended();
        return shared(publisher, config.dispatcher().lease());
    }

    private Supplier<DestinationOwnership> byMarkers(DestinationPublisher publisher, RetentionConfig retention) {
        TakeOver takeOver = new TakeOver(destination, environment, settlements, pendingRows, publisher, retention);
        LastWritten kept = lastWritten;
        return () -> new MarkerOwnership(
                takeOver, owner -> claims.wholeDestination(destination.name(), owner), kept, others);
    }

    /** @param lease the length of a lease; null for row locks */
    private Supplier<DestinationOwnership> shared(DestinationPublisher publisher, Duration lease) {
        Function<String, Reservation> reservations =
                lease == null ? claims::rowLocks : name -> claims.lease(name, lease);
        return SharedOwnership.ofEachClaim(publisher, destination.name(), reservations);
    }
}
