package dev.cdioutbox.internal.dispatch;

import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/** Says what a destination's messages get at each kind of death: once it is known, and again when it changes. */
final class Declaration {
    private static final Logger LOG = Logger.getLogger(Declaration.class.getName());

    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final Listeners listeners;

    Declaration(OutboxStore store, OutboxPublisher publisher, Transactions transactions, Listeners listeners) {
        this.store = store;
        this.publisher = new Discarding(publisher);
        this.transactions = transactions;
        this.listeners = listeners;
    }

    void make(Lane lane, OutboxConfig config) throws Exception {
        String shadow = config.dispatcher().shadowDestination();
        String aim = shadow == null ? lane.destination() : shadow;
        DestinationConfig target = config.destinations().get(aim);
        Guarantee delivery = config.dispatcher().delivery();
        List<Object> what = List.of(delivery, aim, Optional.ofNullable(target));
        if (lane.isDeclared(what)) {
            return;
        }
        String broker = transactions.outside(() -> publisher.transport(aim));
        DeliveryGuarantee given =
                DeliveryGuarantee.of(lane.destination(), delivery, store.database(), broker, isReference(target));
        listeners.tell(l -> l.guaranteed(given));
        LOG.info(Problem.GUARANTEE.text(
                lane.label(),
                delivery,
                given.database(),
                given.broker(),
                given.processDeath(),
                given.hostDeath(),
                given.brokerDeath(),
                given.lostLog()));
        lane.declared(what);
    }

    /** A shadow destination may be nowhere. */
    private static boolean isReference(DestinationConfig target) {
        return target != null && target.connectionFactory().startsWith("java:comp/env/");
    }

    /** Nothing is sent at the moment. */
    void refuse(Lane lane, String reason) {
        lane.declared(null);
        listeners.tell(l -> l.guaranteed(DeliveryGuarantee.unproven(lane.destination(), store.database(), reason)));
    }
}
