package dev.cdioutbox.internal.dispatch.delivery;

import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.Lease;

/**
 * The settings for the delivery of one batch: retry policy, retention, shadow destination.
 *
 * @param shadow the shadow destination, which gets all messages, with a mark on the row; null without shadowing
 * @param clock the database's clock, for the times in notifications
 * @param lease the lease of the claim; null for a claim by lock
 */
public record DeliveryContext(
        RetryPolicy retry, RetentionConfig retention, String shadow, DatabaseClock clock, Lease lease) {

    public static DeliveryContext of(Claim claim, OutboxConfig config) {
        return new DeliveryContext(
                new RetryPolicy(
                        config.retry(), () -> ThreadLocalRandom.current().nextDouble()),
                config.retention(),
                config.dispatcher().shadowDestination(),
                claim.clock(),
                claim.lease());
    }

    /** The destination that really gets the messages. */
    String targetOf(String destination) {
        return shadow == null ? destination : shadow;
    }
}
