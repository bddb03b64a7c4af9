package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnerships;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;

/** Deliveries that no worker has begun. */
public final class TestDelivery {
    private TestDelivery() {}

    public static BatchRecovery of(Services services, OutboxConfig config, Claim claim) {
        return of(services, config, claim, claim.messages());
    }

    /** @param messages some of the claim */
    public static BatchRecovery of(Services services, OutboxConfig config, Claim claim, List<OutboxMessage> messages) {
        DeliveryContext context =
                new DeliveryContext(services, TestMessages.DESTINATION, config, claim, new AtomicReference<>());
        return new BatchRecovery(
                context, new DestinationOwnerships(TestMessages.DESTINATION, services).open(config), messages);
    }
}
