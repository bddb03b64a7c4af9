package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.TransactionTimedOutException;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.dispatch.worker.DeliveryException;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.PublishException;

/**
 * Checks and reports the delivery guarantee of one destination before the first send. The exactly-once probe is a
 * two-branch transaction that broker and database commit.
 */
final class GuaranteeCheck {
    private static final Logger LOG = Logger.getLogger(GuaranteeCheck.class.getName());

    /**
     * The time until the next probe after a refused one. A probe most likely fails until an administrator changes the
     * database or the server, and for each failed prepare the container logs some forty lines.
     */
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final String destination;
    private final String label;
    private final Environment environment;
    private volatile DestinationConfig provenTarget;
    private volatile Pause pause;
    private volatile Object reportedFor;

    GuaranteeCheck(String destination, Environment environment) {
        this.destination = destination;
        this.label = environment.config().label(destination);
        this.environment = environment;
    }

    /**
     * Probes and reports, once for each configuration.
     *
     * @param failing whether the last run failed, and the current one has delivered nothing. Then the check probes
     *     again, so that an outage costs a message one send, not one for each run
     * @throws DeliveryException if the probe fails: then the worker must not send
     */
    void check(OutboxConfig config, boolean failing) throws Exception {
        probe(config, failing);
        report(config);
    }

    private void probe(OutboxConfig config, boolean failing) throws DeliveryException {
        String target = config.dispatcher().targetOf(destination);
        DestinationConfig targetConfig = config.destinations().get(target);
        Guarantee guarantee = config.dispatcher().delivery();
        boolean needsProof = guarantee == Guarantee.EXACTLY_ONCE && !Environment.isNowhere(target);
        boolean proven = !needsProof || targetConfig != null && targetConfig.equals(provenTarget);
        if (proven && !failing) {
            return;
        }
        Pause current = pause;
        if (needsProof && current != null && current.lasts(targetConfig, environment.nanoTime())) {
            throw current.refusal();
        }
        try {
            if (needsProof) {
                requireXa();
            }
            environment.probeInNew(target, guarantee);
        } catch (Exception e) {
            environment.notifyEach(l -> l.failed(label, 0, e));
            boolean outage = isOutage(e);
            String problem = outage || !needsProof ? null : databaseProblem(e);
            if (proven && problem == null) {
                throw new DeliveryException(0, e);
            }
            String reason = problem == null ? Problem.reason(e) : problem;
            reportedFor = null;
            notifyListeners(GuaranteeReport.unproven(label, environment.store().database(), reason));
            if (outage) {
                throw new DeliveryException(0, e);
            }
            DeliveryException refusal = new DeliveryException(reason, e);
            pause = new Pause(targetConfig, refusal, environment.nanoTime());
            throw refusal;
        }
        if (needsProof) {
            provenTarget = targetConfig;
            pause = null;
        }
    }

    /** With {@code acceptHeuristicHazard="true"}, Liberty's default, a probe without XA would succeed. */
    private void requireXa() {
        String problem = environment.store().dataSourceProblem();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
    }

    /** Asks the database for a problem, since the container's exception lacks the cause. Null if there is none. */
    private String databaseProblem(Exception e) {
        try {
            return environment.outside(environment.store()::preparedTransactionsProblem);
        } catch (Exception databaseIsAway) {
            e.addSuppressed(databaseIsAway);
            return null;
        }
    }

    private void report(OutboxConfig config) throws Exception {
        String target = config.dispatcher().targetOf(destination);
        DestinationConfig targetConfig = config.destinations().get(target);
        Guarantee delivery = config.dispatcher().delivery();
        List<Object> what = List.of(delivery, target, Optional.ofNullable(targetConfig));
        if (what.equals(reportedFor)) {
            return;
        }
        String broker = environment.outside(() -> environment.transport(target));
        GuaranteeReport given =
                GuaranteeReport.of(label, delivery, environment.store().database(), broker, isReference(targetConfig));
        notifyListeners(given);
        LOG.info(Problem.GUARANTEE.text(
                label,
                delivery,
                proof(delivery, target),
                given.database(),
                given.broker(),
                given.processDeath(),
                given.hostDeath(),
                given.brokerDeath(),
                given.lostLog()));
        reportedFor = what;
    }

    private static String proof(Guarantee delivery, String target) {
        return delivery == Guarantee.AT_LEAST_ONCE || Environment.isNowhere(target)
                ? ""
                : " (a transaction of both was committed; that proves XA if " + GuaranteeReport.CONDITION + ")";
    }

    private void notifyListeners(GuaranteeReport guarantee) {
        environment.notifyEach(l -> l.guaranteeReported(guarantee));
    }

    /** A shadow destination may have no configuration. */
    private static boolean isReference(DestinationConfig target) {
        return target != null && target.connectionFactory().startsWith("java:comp/env/");
    }

    /** The pause after a refused probe of a target. A change of the target's configuration ends the pause. */
    record Pause(DestinationConfig target, DeliveryException refusal, long since) {

        boolean lasts(DestinationConfig now, long nanos) {
            return Objects.equals(now, target) && nanos - since < PAUSE.toNanos();
        }
    }

    /** Whether broker or database was unreachable: then the probe has no result. */
    private static boolean isOutage(Throwable failure) {
        return failure instanceof PublishException
                || failure instanceof OutboxException
                || failure instanceof TransactionTimedOutException
                || (failure.getCause() != null && failure.getCause() != failure && isOutage(failure.getCause()));
    }
}
