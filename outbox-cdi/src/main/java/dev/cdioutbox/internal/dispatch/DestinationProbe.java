package dev.cdioutbox.internal.dispatch;

import java.util.logging.Logger;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/**
 * Probes a destination by a message that no consumer sees. With exactly-once, broker and database commit one two-branch
 * transaction, before anything is sent and whenever a failure leaves open whose fault it is.
 */
final class DestinationProbe {
    private static final Logger LOG = Logger.getLogger(DestinationProbe.class.getName());

    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final ListenerNotifier listeners;
    private final GuaranteeReport guaranteeReport;

    DestinationProbe(
            OutboxStore store,
            OutboxPublisher publisher,
            Transactions transactions,
            NodeIdentity node,
            ListenerNotifier listeners,
            GuaranteeReport guaranteeReport) {
        this.store = store;
        this.publisher = publisher;
        this.transactions = transactions;
        this.node = node;
        this.listeners = listeners;
        this.guaranteeReport = guaranteeReport;
    }

    /**
     * Probes exactly-once until it is proven with this configuration. A worker whose last run failed probes in each
     * mode: a message is sent once for an outage, and not once for each run that meets it.
     */
    void probe(DestinationWorker worker, OutboxConfig config) throws DeliveryException {
        Guarantee guarantee = config.dispatcher().delivery();
        String target = targetOf(worker, config);
        Object destination = config.destinations().get(target);
        boolean proven = guarantee == Guarantee.AT_LEAST_ONCE
                || DiscardingPublisher.isNowhere(target)
                || worker.probeState().isProvenFor(destination);
        if (proven && !worker.isFailing()) {
            return;
        }
        try {
            probe(target, guarantee);
        } catch (Exception e) {
            listeners.notifyEach(l -> l.failed(worker.destination(), 0, e));
            if (!proven) {
                worker.probeState().refused(isOutage(e) ? null : Problem.reason(e));
                guaranteeReport.reportUnproven(worker, Problem.reason(e));
            }
            throw new DeliveryException(0, e);
        }
        if (!proven) {
            worker.probeState().provenFor(destination);
            LOG.info(Problem.EXACTLY_ONCE_PROVEN.text(
                    config.dispatcher().shadowDestination() == null ? worker.label() : target));
        }
    }

    /**
     * Probes a destination in a new transaction.
     *
     * @throws Exception if the destination is not well
     */
    void probe(String target, Guarantee guarantee) throws Exception {
        transactions.inNew(() -> {
            publisher.probe(target);
            if (guarantee == Guarantee.EXACTLY_ONCE) {
                store.writeHeartbeat(node);
            }
            return null;
        });
    }

    private static String targetOf(DestinationWorker worker, OutboxConfig config) {
        String shadow = config.dispatcher().shadowDestination();
        return shadow == null ? worker.destination() : shadow;
    }

    /** Whether broker or database could not be reached: then the probe has no result. */
    private static boolean isOutage(Throwable failure) {
        return failure instanceof PublishException
                || failure instanceof OutboxException
                || (failure.getCause() != null && failure.getCause() != failure && isOutage(failure.getCause()));
    }
}
