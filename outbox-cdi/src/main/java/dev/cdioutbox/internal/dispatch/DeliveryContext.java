package dev.cdioutbox.internal.dispatch;

import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.Lease;

/**
 * What becomes of messages when they are sent: of those that fail, and of those that are done.
 *
 * @param shadow where all of them go instead of their destination, and are marked for it; null if they go where they belong
 * @param clock by which it is told when that was
 * @param lease under which they were claimed, or null
 */
record DeliveryContext(RetryPolicy retry, RetentionConfig retention, String shadow, DatabaseClock clock, Lease lease) {

    static DeliveryContext of(Claim claim, OutboxConfig config) {
        return new DeliveryContext(
                new RetryPolicy(
                        config.retry(), () -> ThreadLocalRandom.current().nextDouble()),
                config.retention(),
                config.dispatcher().shadowDestination(),
                claim.clock(),
                claim.lease());
    }

    /** Where messages for a destination really go. */
    String targetOf(String destination) {
        return shadow == null ? destination : shadow;
    }
}
