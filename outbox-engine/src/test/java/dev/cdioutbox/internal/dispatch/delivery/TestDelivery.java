package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnerships;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;

/** Deliveries that no worker has begun. */
public final class TestDelivery {
    private TestDelivery() {}

    public static BatchRecovery of(
            JdbcOutboxStore store,
            OutboxPublisher publisher,
            Environment environment,
            OutboxConfig config,
            Claim claim) {
        return of(store, publisher, environment, config, claim, claim.messages());
    }

    /** @param messages some of the claim */
    public static BatchRecovery of(
            JdbcOutboxStore store,
            OutboxPublisher publisher,
            Environment environment,
            OutboxConfig config,
            Claim claim,
            List<OutboxMessage> messages) {
        DestinationId id = DestinationId.ofDefaultOutbox(TestMessages.DESTINATION);
        DestinationPublisher target = DestinationPublisher.of(Map.of("jms", publisher), id, config);
        Supplier<DestinationOwnership> ownerships = new DestinationOwnerships(
                        id, environment, store.claims(), store.settlements(), store.pendingRows())
                .choose(target, config);
        ProbeTransaction probe = new ProbeTransaction(environment, store.probes(), config.retention());
        OpenDestination destination = new OpenDestination(
                id,
                config,
                target,
                ownerships,
                store.settlements(),
                store.pendingRows(),
                probe,
                new AtomicReference<>(),
                new AtomicBoolean());
        DeliveryContext context = new DeliveryContext(environment, destination, ownerships.get(), claim);
        return new BatchRecovery(context, messages);
    }
}
