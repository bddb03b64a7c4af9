package dev.cdioutbox.internal.dispatch.opening;

import java.time.Duration;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Transactions.TimedOutException;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.internal.dispatch.delivery.ProbeTransaction;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.node.PreparedTransactions;
import dev.cdioutbox.internal.store.node.ProbeStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/**
 * Proves that exactly-once is possible for one destination: by a transaction that broker and database commit, or by an
 * answer of a transport that writes markers. The worker asks before the first send with a configuration, and after a
 * failed run: then the probe shows whether the destination works again. Thread-safe.
 */
final class ExactlyOnceProbe {
    /**
     * The time until the next probe after a refused one. A probe most likely fails until an administrator changes the
     * database or the server, and for each failed prepare the container logs some forty lines.
     */
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final DestinationId destination;
    private final Environment environment;
    private final ProbeStore probes;
    private final GuaranteeLog guarantee;
    /** Null before the first proof. */
    private volatile ProbedTarget proven;
    /** Null unless the last probe was refused. */
    private volatile Pause pause;

    ExactlyOnceProbe(DestinationId destination, Environment environment, ProbeStore probes, GuaranteeLog guarantee) {
        this.destination = destination;
        this.environment = environment;
        this.probes = probes;
        this.guarantee = guarantee;
    }

    /**
     * Probes, unless an earlier call did so for the same target, and tells the guarantee.
     *
     * @param failing whether the last run failed, and the current one has delivered nothing. Then this method probes
     *     again, so that an outage costs a message one send, not one for each run
     * @throws DeliveryException if the probe fails: then the worker must not send
     */
    void check(OutboxConfig config, DestinationPublisher publisher, ProbeTransaction probe, boolean failing)
            throws Exception {
        ProbedTarget target = ProbedTarget.of(publisher, config);
        boolean isProven = !target.needsProof() || target.equals(proven);
        if (failing) {
            prove(target, publisher, isProven, () -> probe.commitAfterFailure(publisher));
        } else if (!isProven) {
            prove(target, publisher, false, () -> probe.commit(publisher));
        }
        guarantee.given(target, publisher);
    }

    private void prove(ProbedTarget target, DestinationPublisher publisher, boolean isProven, Probe probe)
            throws DeliveryException {
        Pause current = pause;
        if (current != null && current.lasts(target, environment.nanoTime())) {
            throw current.refusal();
        }
        try {
            if (target.isXa()) {
                requireXa(publisher.transport());
            }
            probe.commit();
        } catch (Exception e) {
            environment.notifyEach(l -> l.failed(destination, 0, e));
            boolean staysProven = isProven && !(e instanceof NoXaException);
            throw staysProven ? DeliveryException.ofProbe(e) : unproven(target, e);
        }
        proven = target;
        pause = null;
    }

    /** Tells that there is no proof and, unless the reason is an outage, begins a pause. */
    private DeliveryException unproven(ProbedTarget target, Exception failure) {
        String reason = FailureReason.of(failure);
        guarantee.unproven(reason);
        if (isOutage(failure)) {
            return DeliveryException.ofProbe(failure);
        }
        DeliveryException refusal = DeliveryException.refused(reason, failure);
        pause = new Pause(target, refusal, environment.nanoTime());
        return refusal;
    }

    /** Whether broker or database was unreachable: then the probe has no result. */
    private static boolean isOutage(Throwable failure) {
        return Causes.any(
                failure,
                e -> e instanceof PublishException || e instanceof OutboxException || e instanceof TimedOutException);
    }

    /**
     * Asks publisher and database whether they can take part in XA, before the probe, which succeeds with a publisher that does
     * not join the transaction. For a transaction that cannot be prepared, the container logs hundreds of lines, without the
     * reason. And with acceptHeuristicHazard="true", Liberty's default, a probe with a DataSource without XA would succeed.
     *
     * @throws NoXaException if one of them cannot
     */
    private void requireXa(OutboxPublisher transport) throws Exception {
        if (!transport.joinsTransactions()) {
            throw new NoXaException(OutboxCode.PUBLISHER_JOINS_NO_TRANSACTION.text(
                    transport.getClass().getName()));
        }
        String noXa = probes.dataSourceProblem();
        if (noXa != null) {
            throw new NoXaException(noXa);
        }
        PreparedTransactions prepared = environment.outside(probes::preparedTransactions);
        if (prepared != null && prepared.isForbidden()) {
            throw new NoXaException("prepared transactions are disabled (max_prepared_transactions is 0)");
        }
    }

    private interface Probe {
        void commit() throws Exception;
    }

    /** Publisher or database cannot take part in XA. */
    private static final class NoXaException extends Exception {
        private static final long serialVersionUID = 1L;

        NoXaException(String reason) {
            super(reason);
        }
    }

    /** The pause after a refused probe of a target. A change of the target's configuration ends the pause. */
    record Pause(ProbedTarget target, DeliveryException refusal, long since) {

        boolean lasts(ProbedTarget now, long nanos) {
            return now.equals(target) && nanos - since < PAUSE.toNanos();
        }
    }
}
