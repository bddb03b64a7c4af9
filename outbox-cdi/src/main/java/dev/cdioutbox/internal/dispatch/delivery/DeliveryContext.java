package dev.cdioutbox.internal.dispatch.delivery;

import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.worker.WorkerStatus;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.Lease;

/**
 * A worker and its settings for the delivery of one batch.
 *
 * @param clock the database's clock, for the times in notifications
 * @param lease the lease of the claim; null for a claim by lock
 */
public record DeliveryContext(WorkerStatus worker, OutboxConfig config, DatabaseClock clock, Lease lease) {

    public static DeliveryContext of(WorkerStatus worker, Claim claim, OutboxConfig config) {
        return new DeliveryContext(worker, config, claim.clock(), claim.lease());
    }

    String label() {
        return worker.label();
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
        return config.dispatcher().targetOf(worker.destination());
    }
}
