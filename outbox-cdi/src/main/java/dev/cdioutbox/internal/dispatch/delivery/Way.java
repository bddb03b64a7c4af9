package dev.cdioutbox.internal.dispatch.delivery;

import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/** How a batch is sent and settled. */
public enum Way {
    /** In one XA transaction: exactly once. */
    ONE_TRANSACTION,
    /** First sent, and then settled; a marker in the transport tells what is sent: exactly once. */
    MARKER,
    /** First sent, and then settled: at least once. */
    TWO_TRANSACTIONS;

    /** The way of a destination, by its guarantee and the publisher that really gets the messages. */
    public static Way of(Services services, String destination, DispatcherConfig config) {
        if (config.delivery() == Guarantee.AT_LEAST_ONCE) {
            return TWO_TRANSACTIONS;
        }
        String target = config.targetOf(destination);
        return !Services.isNowhere(target) && writesMarkers(services, target) ? MARKER : ONE_TRANSACTION;
    }

    private static boolean writesMarkers(Services services, String target) {
        try {
            OutboxPublisher publisher = services.publisher(target);
            return !publisher.joinsTransactions() && publisher.writesMarkers();
        } catch (PublishException isNotConfigured) {
            // The send reports it.
            return false;
        }
    }

    /** Whether the settlement has a transaction of its own. */
    boolean settlesApart() {
        return this != ONE_TRANSACTION;
    }

    /** Whether exactly-once must be proven before the first send. */
    boolean needsProof() {
        return this != TWO_TRANSACTIONS;
    }
}
