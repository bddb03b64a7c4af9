package dev.cdioutbox.internal.dispatch.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;

/** Publishes to another destination or to none, as a trial: whatever consumers see must not depend on it. */
final class ShadowPublisher extends DestinationPublisher {
    private final String shadow;

    ShadowPublisher(
            OutboxConfig config,
            DestinationId destination,
            OutboxPublisher transport,
            DestinationId target,
            String shadow) {
        super(config, destination, transport, target);
        this.shadow = shadow;
    }

    /** What a shadow destination has committed is nothing to the next one, and that may be the real one. */
    @Override
    public DeliveryProtocol protocol() {
        return super.protocol() == DeliveryProtocol.MARKER ? DeliveryProtocol.TWO_TRANSACTIONS : super.protocol();
    }

    @Override
    public boolean needsProof() {
        return !shadow.equals(DispatcherConfig.DISCARD) && super.needsProof();
    }

    @Override
    public String mark() {
        return shadow;
    }

    @Override
    public String deadLetter() {
        return null;
    }

    @Override
    public void report(DispatchListener listener, List<OutboxMessage> sent, Instant now, Duration took) {
        listener.shadowed(destination(), shadow, sent);
    }
}
