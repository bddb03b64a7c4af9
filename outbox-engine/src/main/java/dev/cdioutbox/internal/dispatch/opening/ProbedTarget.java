package dev.cdioutbox.internal.dispatch.opening;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;

/**
 * The destination that really gets the messages, as far as its guarantee depends on it: what is proven of one target is not proven
 * of another.
 *
 * @param config null for a shadow destination without a configuration
 * @param needsProof whether exactly-once must be proven before the first send
 */
record ProbedTarget(
        String name, DestinationConfig config, Guarantee delivery, DeliveryProtocol protocol, boolean needsProof) {

    static ProbedTarget of(DestinationPublisher publisher, OutboxConfig config) {
        String name = publisher.target().name();
        DeliveryProtocol protocol = publisher.protocol();
        Guarantee given =
                protocol == DeliveryProtocol.TWO_TRANSACTIONS ? Guarantee.AT_LEAST_ONCE : Guarantee.EXACTLY_ONCE;
        return new ProbedTarget(name, config.destinations().get(name), given, protocol, publisher.needsProof());
    }

    /** Whether broker and database commit in one transaction. */
    boolean isXa() {
        return needsProof && !protocol.settlesApart();
    }

    /** Whether the connection factory is looked up by a resource reference, which can have a commit-priority. */
    boolean isReference() {
        return config != null
                && config.connectionFactory() != null
                && config.connectionFactory().startsWith("java:comp/env/");
    }
}
