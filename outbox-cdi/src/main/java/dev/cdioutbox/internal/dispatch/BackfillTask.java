package dev.cdioutbox.internal.dispatch;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.store.BackfillRow;

/** Continues the running backfills, in short transactions. If several nodes do, one of them copies at a time. */
final class BackfillTask {
    /** Transactions per call; then the timer's thread is returned. */
    private static final int STEPS = 100;

    private static final Logger LOG = Logger.getLogger(BackfillTask.class.getName());

    private final Services services;
    /** By destination. */
    private final Reported<String> failing = new Reported<>();

    BackfillTask(Services services) {
        this.services = services;
    }

    /** @return whether more can be copied at once */
    boolean copy() {
        boolean more = false;
        try {
            List<String> running = services.outside(services.store().backfills()::running);
            for (String destination : running) {
                more |= copy(destination);
            }
        } catch (Exception e) {
            LOG.log(Level.FINE, "the backfills could not be read; the next call reads them", e);
        }
        return more && !services.isStopping();
    }

    private boolean copy(String destination) {
        String label = services.config().label(destination);
        DestinationConfig target = services.config().destinations().get(destination);
        if (target == null) {
            // A node that has the destination does it.
            return false;
        }
        try {
            boolean more = true;
            for (int step = 0; step < STEPS && more && !services.isStopping(); step++) {
                BackfillRow now =
                        services.outside(() -> services.store().backfills().copyNext(destination, target.external()));
                more = now != null && !now.hasCopiedAll();
                if (now != null && !now.isRunning()) {
                    LOG.info(OutboxCode.BACKFILL_ENDED.text(
                            label, now.source(), now.copied(), now.present(), now.skipped()));
                }
            }
            failing.end(destination);
            return more;
        } catch (Exception e) {
            if (failing.begin(destination)) {
                LOG.log(
                        Level.WARNING,
                        OutboxCode.BACKFILL_FAILED.text(label, FailureReason.of(e)),
                        FailureLog.trace(e));
            }
            return false;
        }
    }
}
