package dev.cdioutbox.internal.dispatch;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.BackfillRow;
import dev.cdioutbox.internal.store.jdbc.BackfillTable;
import dev.cdioutbox.spi.DestinationId;

/** Continues the running backfills, in short transactions. If several nodes do, one of them copies at a time. */
final class BackfillTask {
    /** Transactions per call; then the timer's thread is returned. */
    private static final int STEPS = 100;

    private static final Logger LOG = Logger.getLogger(BackfillTask.class.getName());

    private final BackfillTable backfills;
    private final Transactions transactions;
    private final Supplier<OutboxConfig> config;
    private final BooleanSupplier stopping;
    /** By destination. */
    private final Reported<String> failing = new Reported<>();

    /** @param config supplies the current configuration */
    BackfillTask(
            BackfillTable backfills,
            Transactions transactions,
            Supplier<OutboxConfig> config,
            BooleanSupplier stopping) {
        this.backfills = backfills;
        this.transactions = transactions;
        this.config = config;
        this.stopping = stopping;
    }

    /** @return whether more can be copied at once */
    boolean copy() {
        boolean more = false;
        try {
            List<String> running = transactions.outside(backfills::running);
            for (String destination : running) {
                more |= copy(destination);
            }
        } catch (Exception e) {
            LOG.log(Level.FINE, "the backfills could not be read; the next call reads them", e);
        }
        return more && !stopping.getAsBoolean();
    }

    private boolean copy(String destination) {
        OutboxConfig current = config.get();
        DestinationId id = current.destinationId(destination);
        DestinationConfig target = current.destinations().get(destination);
        if (target == null) {
            // A node that has the destination does it.
            return false;
        }
        try {
            boolean more = true;
            for (int step = 0; step < STEPS && more && !stopping.getAsBoolean(); step++) {
                BackfillRow now = transactions.outside(() -> backfills.copyNext(destination, target.external()));
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
