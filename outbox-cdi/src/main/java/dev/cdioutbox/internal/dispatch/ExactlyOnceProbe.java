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

/** Probes exactly-once: broker and database commit one two-branch transaction before anything is sent. */
final class ExactlyOnceProbe {
    private static final Logger LOG = Logger.getLogger(ExactlyOnceProbe.class.getName());

    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final ListenerNotifier listeners;
    private final GuaranteeReport guaranteeReport;

    ExactlyOnceProbe(
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
     * Does nothing with at-least-once, without a real destination, or if the probe has succeeded with this
     * configuration.
     */
    void probe(DestinationWorker worker, OutboxConfig config) throws DeliveryException {
        String shadow = config.dispatcher().shadowDestination();
        String actualDestination = targetOf(worker, config);
        Object target = config.destinations().get(actualDestination);
        if (config.dispatcher().delivery() == Guarantee.AT_LEAST_ONCE
                || DiscardingPublisher.isNowhere(actualDestination)
                || worker.probeState().isProvenFor(target)) {
            return;
        }
        try {
            transactions.inNew(() -> {
                publisher.probe(actualDestination);
                store.writeHeartbeat(node);
                return null;
            });
        } catch (Exception e) {
            listeners.notifyEach(l -> l.failed(worker.destination(), 0, e));
            worker.probeState().refused(isOutage(e) ? null : Problem.reason(e));
            guaranteeReport.reportUnproven(worker, Problem.reason(e));
            throw new DeliveryException(0, e);
        }
        worker.probeState().provenFor(target);
        LOG.info(Problem.EXACTLY_ONCE_PROVEN.text(shadow == null ? worker.label() : actualDestination));
    }

    /**
     * Called before an idle run counts as a success. A run in which other nodes hold all messages has not contacted the
     * broker; so a worker that failed before opens a sender now.
     */
    void checkReachable(DestinationWorker worker, OutboxConfig config) throws DeliveryException {
        String actualDestination = targetOf(worker, config);
        if (worker.failures() == 0 || DiscardingPublisher.isNowhere(actualDestination)) {
            return;
        }
        try {
            transactions.inNew(() -> {
                publisher.open(actualDestination).close();
                return null;
            });
        } catch (Exception e) {
            listeners.notifyEach(l -> l.failed(worker.destination(), 0, e));
            throw new DeliveryException(0, e);
        }
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
