package dev.cdioutbox.internal.dispatch.delivery;

import java.util.concurrent.atomic.AtomicReference;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.hold.DeliveryContext;
import dev.cdioutbox.internal.dispatch.hold.Holds;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;

/** Deliveries that no worker has begun. */
public final class TestDelivery {
    private TestDelivery() {}

    public static BatchDelivery of(Services services, OutboxConfig config, Claim claim) {
        DeliveryContext context =
                new DeliveryContext(services, TestMessages.DESTINATION, config, claim, new AtomicReference<>());
        return new BatchDelivery(context, new Holds().of(context));
    }
}
