package dev.cdioutbox.internal.dispatch.delivery;

import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.Claim.Lease;
import dev.cdioutbox.internal.store.DatabaseClock;

/**
 * The destination and the settings of one batch: the delivery mode, the retry policy, the shadow destination, and the
 * lease.
 *
 * @param clock the database's clock, for the times in notifications and for messages that expire
 * @param lease the lease of the claim; null for a claim by lock
 */
public record DeliveryContext(
        Environment environment, String destination, OutboxConfig config, DatabaseClock clock, Lease lease) {

    String label() {
        return config.label(destination);
    }

    Guarantee guarantee() {
        return config.dispatcher().delivery();
    }

    RetryPolicy retry() {
        return new RetryPolicy(config.retry(), () -> ThreadLocalRandom.current().nextDouble());
    }

    /** The shadow destination, which gets all messages, with a mark on the row; null without shadowing. */
    String shadow() {
        return config.dispatcher().shadowDestination();
    }

    /** The destination that really gets the messages. */
    String target() {
        return config.dispatcher().targetOf(destination);
    }
}
