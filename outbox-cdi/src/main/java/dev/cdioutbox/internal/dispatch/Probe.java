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

/** Exactly-once is probed, not assumed: broker and database commit together once before anything is sent. */
final class Probe {
    private static final Logger LOG = Logger.getLogger(Probe.class.getName());

    private final OutboxStore store;
    private final OutboxPublisher publisher;
    private final Transactions transactions;
    private final NodeIdentity node;
    private final Listeners listeners;
    private final Declaration declaration;

    Probe(
            OutboxStore store,
            OutboxPublisher publisher,
            Transactions transactions,
            NodeIdentity node,
            Listeners listeners,
            Declaration declaration) {
        this.store = store;
        this.publisher = publisher;
        this.transactions = transactions;
        this.node = node;
        this.listeners = listeners;
        this.declaration = declaration;
    }

    /** Does nothing where nothing is to be proven, or it was already. */
    void prove(Lane lane, OutboxConfig config) throws DeliveryException {
        String shadow = config.dispatcher().shadowDestination();
        String aim = aim(lane, config);
        Object target = config.destinations().get(aim);
        if (config.dispatcher().delivery() == Guarantee.AT_LEAST_ONCE
                || Discarding.isNowhere(aim)
                || lane.proof().isFor(target)) {
            return;
        }
        try {
            transactions.inNew(() -> {
                publisher.probe(aim);
                store.touch(node);
                return null;
            });
        } catch (Exception e) {
            listeners.tell(l -> l.failed(lane.destination(), 0, e));
            lane.proof().refused(isOutage(e) ? null : Problem.reason(e));
            declaration.refuse(lane, Problem.reason(e));
            throw new DeliveryException(0, e);
        }
        lane.proof().madeFor(target);
        LOG.info(Problem.EXACTLY_ONCE_PROVEN.text(shadow == null ? lane.label() : aim));
    }

    /**
     * To be called before a run that had nothing to send is taken for a good one. Where other nodes hold what waits, it has met
     * nobody who could refuse anything; so a lane that failed looks whether it could send at all.
     */
    void reach(Lane lane, OutboxConfig config) throws DeliveryException {
        String aim = aim(lane, config);
        if (lane.failures() == 0 || Discarding.isNowhere(aim)) {
            return;
        }
        try {
            transactions.inNew(() -> {
                publisher.open(aim).close();
                return null;
            });
        } catch (Exception e) {
            listeners.tell(l -> l.failed(lane.destination(), 0, e));
            throw new DeliveryException(0, e);
        }
    }

    private static String aim(Lane lane, OutboxConfig config) {
        String shadow = config.dispatcher().shadowDestination();
        return shadow == null ? lane.destination() : shadow;
    }

    /** Whether broker or database could not even be reached, which says nothing about what they can do together. */
    private static boolean isOutage(Throwable failure) {
        return failure instanceof PublishException
                || failure instanceof OutboxException
                || (failure.getCause() != null && failure.getCause() != failure && isOutage(failure.getCause()));
    }
}
