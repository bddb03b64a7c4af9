package dev.cdioutbox.internal.dispatch.delivery;

import java.util.concurrent.atomic.AtomicReference;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;

/** Deliveries that no worker has begun. */
public final class TestDelivery {
    private TestDelivery() {}

    public static BatchDelivery of(Services services, OutboxConfig config, Claim claim) {
        String destination = TestMessages.DESTINATION;
        Hold hold = new Hold(services, destination, config, claim, new AtomicReference<>());
        return new BatchDelivery(services, destination, config, claim, hold);
    }
}
