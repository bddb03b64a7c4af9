package dev.cdioutbox.internal.dispatch.hold;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.spi.OutboxPublisher;

/** How a batch is sent and settled. */
public enum Way {
    /** In one XA transaction: exactly once. */
    ONE_TRANSACTION,
    /** First sent, and then settled; a marker in the transport tells what is sent: exactly once. */
    MARKER,
    /** First sent, and then settled: at least once. */
    TWO_TRANSACTIONS;

    /** The way of a destination, by its guarantee and the publisher that really gets the messages. */
    public static Way of(Services services, String destination, OutboxConfig config) {
        if (config.dispatcher().delivery() == Guarantee.AT_LEAST_ONCE) {
            return TWO_TRANSACTIONS;
        }
        String target = config.dispatcher().targetOf(destination);
        // Without a publisher, the send reports that there is none.
        OutboxPublisher publisher = Services.isNowhere(target) ? null : services.publisher(target, config);
        if (publisher == null || publisher.joinsTransactions() || !publisher.writesMarkers()) {
            return ONE_TRANSACTION;
        }
        // What a shadow destination has committed is nothing to the next one, and that may be the real one.
        return target.equals(destination) ? MARKER : TWO_TRANSACTIONS;
    }

    /** Whether only one node and thread may send to the destination at a time. */
    public boolean holdsDestination() {
        return this == MARKER;
    }

    /** Whether the settlement is a separate transaction. */
    public boolean settlesApart() {
        return this != ONE_TRANSACTION;
    }

    /** Whether exactly-once must be proven before the first send. */
    public boolean needsProof() {
        return this != TWO_TRANSACTIONS;
    }
}
