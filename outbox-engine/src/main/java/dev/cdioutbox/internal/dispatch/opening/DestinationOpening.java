package dev.cdioutbox.internal.dispatch.opening;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.delivery.OpenDestination;
import dev.cdioutbox.internal.dispatch.delivery.ProbeTransaction;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnerships;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.node.ProbeStore;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.PendingRows;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Opens one destination: makes sure that it may send as its configuration says, and chooses how. What is open stays so until
 * the configuration changes. Thread-safe.
 */
public final class DestinationOpening {
    private final DestinationId destination;
    private final Map<String, OutboxPublisher> transports;
    private final Environment environment;
    private final SettlementStore settlements;
    private final PendingRows pendingRows;
    private final ProbeStore probes;
    private final CrashRecovery crashRecovery;
    private final ExactlyOnceProbe exactlyOnce;
    private final Shadowing shadowing;
    private final DestinationOwnerships ownerships;
    private final AtomicReference<Instant> lastDelivery = new AtomicReference<>();
    /** Null before the first time. */
    private volatile Opened last;

    /**
     * A destination as it was opened.
     *
     * @param by the configuration of the outbox
     */
    private record Opened(OpenDestination destination, OutboxConfig by) {}

    /**
     * @param settling the store whose settlements and probes join the transactions of the destination
     * @param transports the application's publishers by their transports
     */
    public DestinationOpening(
            DestinationId destination,
            JdbcOutboxStore store,
            JdbcOutboxStore settling,
            Map<String, OutboxPublisher> transports,
            Environment environment,
            CrashRecovery crashRecovery) {
        this.destination = destination;
        this.transports = transports;
        this.environment = environment;
        this.settlements = settling.settlements();
        this.pendingRows = store.pendingRows();
        this.probes = settling.probes();
        this.crashRecovery = crashRecovery;
        GuaranteeLog guarantee = new GuaranteeLog(
                destination, environment, probes, () -> settling.setup().mayLoseTheLast());
        exactlyOnce = new ExactlyOnceProbe(destination, environment, probes, guarantee);
        shadowing = new Shadowing(destination, environment, store.status());
        ownerships = new DestinationOwnerships(destination, environment, store.claims(), settlements, pendingRows);
    }

    /** The destination as it is open by this configuration of its outbox; empty if it must be opened first. */
    public Optional<OpenDestination> opened(OutboxConfig by) {
        Opened now = last;
        return now != null && now.by == by ? Optional.of(now.destination) : Optional.empty();
    }

    /** How many threads of this node may send at a time, by the last opening or else by this configuration. */
    public int threads(OutboxConfig by) {
        Opened now = last;
        return now == null ? by.of(destination.name()).dispatcher().concurrency() : now.destination.threads();
    }

    /** Whether the messages would go to another destination than before: then only one thread may open it. */
    public boolean changesTarget(OutboxConfig by) {
        return shadowing.isChanged(by.of(destination.name()).dispatcher());
    }

    /**
     * Opens the destination. Call this outside of a transaction.
     *
     * @param by the configuration of the outbox
     * @param isFailing whether the destination may still be unavailable, so that it must be probed before a send
     * @return empty if its dispatcher is off
     * @throws Exception if exactly-once cannot be proven, or a probe or the database fails
     */
    public Optional<OpenDestination> open(OutboxConfig by, boolean isFailing) throws Exception {
        OutboxConfig config = by.of(destination.name());
        if (shadowing.isChanged(config.dispatcher())) {
            shadowing.change(config.dispatcher());
            // What was delivered to one target proves nothing of another one.
            lastDelivery.set(null);
        }
        if (!config.dispatcher().enabled()) {
            return Optional.empty();
        }
        crashRecovery.prepare();
        DestinationPublisher publisher = DestinationPublisher.of(transports, destination, config);
        ProbeTransaction probe = new ProbeTransaction(environment, probes, config.retention());
        exactlyOnce.check(config, publisher, probe, isFailing);
        OpenDestination open = new OpenDestination(
                destination,
                config,
                publisher,
                ownerships.choose(publisher, config),
                settlements,
                pendingRows,
                probe,
                lastDelivery,
                crashRecovery.of(destination.name()).concernsEachBatch());
        last = new Opened(open, by);
        return Optional.of(open);
    }
}
