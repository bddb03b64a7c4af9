package dev.cdioutbox.internal.dispatch.opening;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.node.ProbeStore;
import dev.cdioutbox.spi.DestinationId;

/** Tells log and listeners which delivery guarantee a destination has, when that begins and when it changes. Thread-safe. */
final class GuaranteeLog {
    private static final Logger LOG = Logger.getLogger(GuaranteeLog.class.getName());

    private final DestinationId destination;
    private final Environment environment;
    private final ProbeStore probes;
    private final BooleanSupplier mayLoseTheLast;
    private final Reported<ProbedTarget> told = new Reported<>();

    /** @param mayLoseTheLast whether a crash of the database's host may take back the last commits; asks the database */
    GuaranteeLog(
            DestinationId destination, Environment environment, ProbeStore probes, BooleanSupplier mayLoseTheLast) {
        this.destination = destination;
        this.environment = environment;
        this.probes = probes;
        this.mayLoseTheLast = mayLoseTheLast;
    }

    /** The destination may send with the guarantee of this target. Of several threads that find this out, one tells it. */
    void given(ProbedTarget target, DestinationPublisher publisher) throws Exception {
        if (!told.beginOnly(List.of(target)).isEmpty()) {
            tell(target, publisher);
        }
    }

    /** The destination may not send, for this reason. */
    void unproven(String reason) {
        told.endAll();
        GuaranteeReport report = GuaranteeReport.unproven(probes.database(), reason);
        environment.notifyEach(l -> l.guaranteeReported(destination, report));
    }

    private void tell(ProbedTarget target, DestinationPublisher publisher) throws Exception {
        String broker;
        boolean mayLose;
        try {
            mayLose = environment.outside(mayLoseTheLast::getAsBoolean);
            broker = environment.outside(publisher::describe);
        } catch (Exception e) {
            told.endAll();
            throw e;
        }
        String database = probes.database();
        GuaranteeReport given =
                switch (publisher.protocol()) {
                    case MARKER -> GuaranteeReport.byMarker(database, mayLose, broker);
                    case HANDLING -> GuaranteeReport.byHandler(database, mayLose, broker);
                    case ONE_TRANSACTION, TWO_TRANSACTIONS ->
                        GuaranteeReport.of(target.delivery(), database, mayLose, broker, target.isReference());
                };
        environment.notifyEach(l -> l.guaranteeReported(destination, given));
        String proof = target.isXa() ? " (a test transaction of both was committed)" : "";
        LOG.info(OutboxCode.GUARANTEE.text(destination, target.delivery(), proof, given.database(), given.broker()));
    }
}
