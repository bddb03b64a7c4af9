package dev.cdioutbox.internal.dispatch.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.OutboxPublisher.Marker;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/** Publishes what waits for one destination, by one snapshot of the configuration. Thread-safe. */
public sealed class DestinationPublisher permits ShadowPublisher {
    private final OutboxConfig config;
    private final DestinationId destination;
    private final OutboxPublisher transport;
    private final DestinationId target;

    /** @param target the destination that gets the messages */
    DestinationPublisher(
            OutboxConfig config, DestinationId destination, OutboxPublisher transport, DestinationId target) {
        this.config = config;
        this.destination = destination;
        this.transport = transport;
        this.target = target;
    }

    /**
     * The publisher of a destination: the only place that chooses whether it is shadowed.
     *
     * @param transports the application's publishers by their transports. They serve several outboxes
     * @param config with the settings of the destination
     */
    public static DestinationPublisher of(
            Map<String, OutboxPublisher> transports, DestinationId destination, OutboxConfig config) {
        String shadow = config.dispatcher().shadowDestination();
        DestinationId target = config.destinationId(config.dispatcher().targetOf(destination.name()));
        OutboxPublisher transport = transport(transports, config, target.name());
        return shadow == null
                ? new DestinationPublisher(config, destination, transport, target)
                : new ShadowPublisher(config, destination, transport, target, shadow);
    }

    private static OutboxPublisher transport(
            Map<String, OutboxPublisher> transports, OutboxConfig config, String target) {
        if (target.equals(DispatcherConfig.DISCARD)) {
            return new DiscardingPublisher();
        }
        DestinationConfig own = config.destinations().get(target);
        OutboxPublisher found = own == null ? null : transports.get(own.transport());
        return found == null ? new MissingPublisher() : found;
    }

    /** How a batch is sent and settled, by the guarantee and the transport. */
    public DeliveryProtocol protocol() {
        DestinationConfig own = config.destinations().get(target.name());
        if (own != null && own.isLocal()) {
            return DeliveryProtocol.HANDLING;
        }
        if (config.dispatcher().delivery() == Guarantee.AT_LEAST_ONCE) {
            return DeliveryProtocol.TWO_TRANSACTIONS;
        }
        return transport.joinsTransactions() || !transport.writesMarkers()
                ? DeliveryProtocol.ONE_TRANSACTION
                : DeliveryProtocol.MARKER;
    }

    /** Whether exactly-once must be proven before the first send. */
    public boolean needsProof() {
        return protocol().needsProof();
    }

    /** The destination that gets the messages. */
    public final DestinationId target() {
        return target;
    }

    public final OutboxPublisher transport() {
        return transport;
    }

    /** Opens a sender in the current transaction. */
    public final Sender open() throws PublishException {
        return transport.open(target);
    }

    /** Opens a sender that commits a marker with its batch. */
    public final Sender open(String memory, long number) throws PublishException {
        return transport.open(target, memory, number);
    }

    /** Shuts out earlier senders, and returns the last marker; null if there is none. */
    public final Marker takeOver(String memory) throws PublishException {
        return transport.takeOver(target, memory);
    }

    /** Probes in the current transaction, with a message that no consumer gets. */
    public final void probe() throws PublishException {
        transport.probe(target);
    }

    /** Asks outside of a transaction whether there is room. */
    public final void checkRoom() throws PublishException {
        transport.checkRoom(target);
    }

    /** The name and version of the broker. */
    public final String describe() throws PublishException {
        return transport.describe(target);
    }

    /** What the settlement writes into {@code shadow_destination} of the messages; null for nothing. */
    public String mark() {
        return null;
    }

    /** The destination that gets a copy of each message that is given up; null if there is none. */
    public String deadLetter() {
        return config.deadLetterOf(destination.name());
    }

    /** Tells a listener that messages are sent and settled. */
    public void report(DispatchListener listener, List<OutboxMessage> sent, Instant now, Duration took) {
        listener.published(destination, sent, now, took);
    }

    final DestinationId destination() {
        return destination;
    }
}
