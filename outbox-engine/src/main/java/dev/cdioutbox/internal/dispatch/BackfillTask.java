package dev.cdioutbox.internal.dispatch;

import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.operate.BackfillRow;
import dev.cdioutbox.internal.store.operate.BackfillTable;
import dev.cdioutbox.spi.DestinationId;

/**
 * Continues the running backfills of one outbox, in short transactions. Several nodes may call it: one of them copies at a time.
 * {@code OutboxTimer.BACKFILL} calls it. Thread-safe.
 */
final class BackfillTask {
    /** Transactions per call; then the timer's thread is returned. */
    private static final int STEPS = 100;

    private static final Logger LOG = Logger.getLogger(BackfillTask.class.getName());

    private final BackfillTable backfills;
    private final Supplier<OutboxConfig> config;
    private final Environment environment;
    /** The destinations whose backfills fail. */
    private final Reported<String> failing = new Reported<>();

    /** @param config supplies the current configuration */
    BackfillTask(BackfillTable backfills, Supplier<OutboxConfig> config, Environment environment) {
        this.backfills = backfills;
        this.config = config;
        this.environment = environment;
    }

    /** @return whether more can be copied at once */
    boolean copy() {
        boolean more = false;
        try {
            List<String> running = environment.outside(backfills::running);
            for (String destination : running) {
                more |= copy(destination);
            }
        } catch (Exception e) {
            LOG.log(Level.FINE, "the backfills could not be read; the next call reads them", e);
        }
        return more && !environment.isStopping();
    }

    private boolean copy(String destination) {
        OutboxConfig current = config.get();
        DestinationId id = current.destinationId(destination);
        DestinationConfig target = current.destinations().get(destination);
        if (target == null) {
            // A node that knows the destination continues its backfill.
            return false;
        }
        try {
            boolean more = true;
            for (int step = 0; step < STEPS && more && !environment.isStopping(); step++) {
                BackfillRow now = environment.outside(() -> backfills.copyNext(destination, target.external()));
                more = now != null && !now.hasCopiedAll();
                if (now != null && !now.isRunning()) {
                    LOG.info(OutboxCode.BACKFILL_ENDED.text(
                            id, now.source(), now.copied(), now.present(), now.skipped()));
                }
            }
            failing.end(destination);
            return more;
        } catch (Exception e) {
            if (failing.begin(destination)) {
                LOG.log(Level.WARNING, OutboxCode.BACKFILL_FAILED.text(id, FailureReason.of(e)), FailureLog.trace(e));
            }
            return false;
        }
    }
}
