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

/** Reports the delivery guarantee of a destination, once it is known and again when it changes. */
final class GuaranteeReport {
    private static final Logger LOG = Logger.getLogger(GuaranteeReport.class.getName());

    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final ListenerNotifier listeners;

    GuaranteeReport(
            OutboxStore store, OutboxPublisher publisher, Transactions transactions, ListenerNotifier listeners) {
        this.store = store;
        this.publisher = new DiscardingPublisher(publisher);
        this.transactions = transactions;
        this.listeners = listeners;
    }

    void report(DestinationWorker worker, OutboxConfig config) throws Exception {
        String shadow = config.dispatcher().shadowDestination();
        String actualDestination = shadow == null ? worker.destination() : shadow;
        DestinationConfig target = config.destinations().get(actualDestination);
        Guarantee delivery = config.dispatcher().delivery();
        List<Object> what = List.of(delivery, actualDestination, Optional.ofNullable(target));
        if (worker.isGuaranteeReported(what)) {
            return;
        }
        String broker = transactions.outside(() -> publisher.transport(actualDestination));
        DeliveryGuarantee given =
                DeliveryGuarantee.of(worker.destination(), delivery, store.database(), broker, isReference(target));
        listeners.notifyEach(l -> l.guaranteeReported(given));
        LOG.info(Problem.GUARANTEE.text(
                worker.label(),
                delivery,
                given.database(),
                given.broker(),
                given.processDeath(),
                given.hostDeath(),
                given.brokerDeath(),
                given.lostLog()));
        worker.guaranteeReported(what);
    }

    /** A shadow destination may have no configuration. */
    private static boolean isReference(DestinationConfig target) {
        return target != null && target.connectionFactory().startsWith("java:comp/env/");
    }

    /** Reports that nothing is sent at the moment. */
    void reportUnproven(DestinationWorker worker, String reason) {
        worker.guaranteeReported(null);
        listeners.notifyEach(
                l -> l.guaranteeReported(DeliveryGuarantee.unproven(worker.destination(), store.database(), reason)));
    }
}
