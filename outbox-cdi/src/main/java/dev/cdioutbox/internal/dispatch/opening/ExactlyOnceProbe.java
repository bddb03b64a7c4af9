package dev.cdioutbox.internal.dispatch.opening;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Transactions.TimedOutException;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.internal.dispatch.delivery.ProbeTransaction;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.PreparedTransactions;
import dev.cdioutbox.internal.store.ProbeStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;

/**
 * Proves that exactly-once is possible for one destination: by a transaction that broker and database commit, or by an
 * answer of a transport that writes markers. The worker asks before the first send with a configuration, and after a
 * failed run: then the probe shows whether the destination works again. Reports the delivery guarantee of the destination.
 */
final class ExactlyOnceProbe {
    private static final Logger LOG = Logger.getLogger(ExactlyOnceProbe.class.getName());

    /**
     * The time until the next probe after a refused one. A probe most likely fails until an administrator changes the
     * database or the server, and for each failed prepare the container logs some forty lines.
     */
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final DestinationId destination;
    private final Environment environment;
    private final ProbeStore probes;
    private final BooleanSupplier mayLoseTheLast;
    private volatile Target proven;
    private volatile Pause pause;
    private final Reported<Target> reported = new Reported<>();

    /** @param mayLoseTheLast whether a crash of the database's host may take back the last commits; asks the database */
    ExactlyOnceProbe(
            DestinationId destination, Environment environment, ProbeStore probes, BooleanSupplier mayLoseTheLast) {
        this.destination = destination;
        this.environment = environment;
        this.probes = probes;
        this.mayLoseTheLast = mayLoseTheLast;
    }

    /**
     * Probes and reports, unless an earlier call did so for the same target.
     *
     * @param failing whether the last run failed, and the current one has delivered nothing. Then this method probes
     *     again, so that an outage costs a message one send, not one for each run
     * @throws DeliveryException if the probe fails: then the worker must not send
     */
    void check(OutboxConfig config, DestinationPublisher publisher, ProbeTransaction probe, boolean failing)
            throws Exception {
        Target target = Target.of(publisher, config);
        boolean isProven = !target.needsProof() || target.equals(proven);
        if (failing || !isProven) {
            prove(target, publisher, probe, isProven);
        }
        // Several threads may have probed at the same time, and one of them reports.
        if (!reported.beginOnly(List.of(target)).isEmpty()) {
            report(target, publisher);
        }
    }

    private void prove(Target target, DestinationPublisher publisher, ProbeTransaction probe, boolean isProven)
            throws DeliveryException {
        Pause current = pause;
        if (current != null && current.lasts(target, environment.nanoTime())) {
            throw current.refusal();
        }
        String noXa = null;
        try {
            noXa = target.isXa() ? problemWithoutProbe(publisher.transport()) : null;
            if (noXa != null) {
                throw new IllegalStateException(noXa);
            }
            probe.commit(publisher);
        } catch (Exception e) {
            environment.notifyEach(l -> l.failed(destination, 0, e));
            boolean staysProven = isProven && noXa == null;
            throw staysProven ? DeliveryException.ofProbe(e) : unproven(target, e);
        }
        proven = target;
        pause = null;
    }

    /** Reports that there is no proof and, unless the reason is an outage, begins a pause. */
    private DeliveryException unproven(Target target, Exception failure) {
        String reason = FailureReason.of(failure);
        reported.endAll();
        GuaranteeReport report = GuaranteeReport.unproven(probes.database(), reason);
        environment.notifyEach(l -> l.guaranteeReported(destination, report));
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
     * The reason why publisher or database cannot take part in XA; null if there is none. Asks before the probe, which
     * succeeds with a publisher that does not join the transaction. For a transaction that cannot be prepared, the
     * container logs hundreds of lines, without the reason. And with acceptHeuristicHazard="true", Liberty's default, a
     * probe with a DataSource without XA would succeed.
     */
    private String problemWithoutProbe(OutboxPublisher transport) throws Exception {
        if (!transport.joinsTransactions()) {
            return OutboxCode.PUBLISHER_JOINS_NO_TRANSACTION.text(
                    transport.getClass().getName());
        }
        String noXa = probes.dataSourceProblem();
        if (noXa != null) {
            return noXa;
        }
        PreparedTransactions prepared = environment.outside(probes::preparedTransactions);
        return prepared != null && prepared.isForbidden()
                ? "prepared transactions are disabled (max_prepared_transactions is 0)"
                : null;
    }

    private void report(Target target, DestinationPublisher publisher) throws Exception {
        String broker;
        boolean mayLose;
        try {
            mayLose = environment.outside(mayLoseTheLast::getAsBoolean);
            broker = environment.outside(publisher::describe);
        } catch (Exception e) {
            reported.endAll();
            throw e;
        }
        String database = probes.database();
        GuaranteeReport given = publisher.protocol().ownsDestination()
                ? GuaranteeReport.byMarker(database, mayLose, broker)
                : GuaranteeReport.of(target.delivery(), database, mayLose, broker, target.isReference());
        environment.notifyEach(l -> l.guaranteeReported(destination, given));
        String proof = target.isXa() ? " (a test transaction of both was committed)" : "";
        LOG.info(OutboxCode.GUARANTEE.text(destination, target.delivery(), proof, given.database(), given.broker()));
    }

    /**
     * The destination that really gets the messages.
     *
     * @param config null for a shadow destination without a configuration
     */
    record Target(
            String name, DestinationConfig config, Guarantee delivery, DeliveryProtocol protocol, boolean needsProof) {

        static Target of(DestinationPublisher publisher, OutboxConfig config) {
            String name = publisher.target().name();
            DeliveryProtocol protocol = publisher.protocol();
            Guarantee given = protocol == DeliveryProtocol.TWO_TRANSACTIONS
                    ? Guarantee.AT_LEAST_ONCE
                    : config.dispatcher().delivery();
            return new Target(name, config.destinations().get(name), given, protocol, publisher.needsProof());
        }

        boolean isXa() {
            return needsProof && !protocol.settlesApart();
        }

        boolean isReference() {
            return config != null
                    && config.connectionFactory() != null
                    && config.connectionFactory().startsWith("java:comp/env/");
        }
    }

    /** The pause after a refused probe of a target. A change of the target's configuration ends the pause. */
    record Pause(Target target, DeliveryException refusal, long since) {

        boolean lasts(Target now, long nanos) {
            return now.equals(target) && nanos - since < PAUSE.toNanos();
        }
    }
}
