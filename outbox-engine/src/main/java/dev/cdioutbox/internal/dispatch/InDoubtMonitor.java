package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.internal.store.operate.HeldUpKeyCounter;
import dev.cdioutbox.internal.store.settle.PendingRows;
import dev.cdioutbox.spi.DestinationId;

/**
 * Watches the in-doubt rows of one destination since claims first found them. Recovery ends a doubt within seconds, or when
 * the crashed server is back. If its transaction log is lost, only an operator can, so the monitor logs a warning.
 * Thread-safe.
 */
final class InDoubtMonitor {
    private static final Logger LOG = Logger.getLogger(InDoubtMonitor.class.getName());

    /** In rows: the number of parameters of one lock probe. More rows would not change the report. */
    static final int MAX_ROWS = 500;

    /** A server that restarts with its log has finished its branches in doubt by then. */
    private static final Duration REPORT_AFTER = Duration.ofMinutes(1);

    private final DestinationId destination;
    private final PendingRows pendingRows;
    private final HeldUpKeyCounter heldUp;
    private final Environment environment;
    /** By sequence, in the order of the finds: when a claim first found the row, in nanoseconds. */
    private final Map<Long, Long> foundAt = new LinkedHashMap<>();
    /** A reminder, so it need not appear every minute. */
    private final RepeatedLine line = new RepeatedLine(Duration.ofMinutes(10));

    InDoubtMonitor(
            DestinationId destination, PendingRows pendingRows, HeldUpKeyCounter heldUp, Environment environment) {
        this.destination = destination;
        this.pendingRows = pendingRows;
        this.heldUp = heldUp;
        this.environment = environment;
    }

    /** A claim has found these rows locked by another transaction. */
    synchronized void found(Collection<Long> sequences) {
        for (long sequence : sequences) {
            if (foundAt.size() < MAX_ROWS) {
                foundAt.putIfAbsent(sequence, environment.nanoTime());
            }
        }
    }

    /** Drops the rows that are not in doubt any more, and reports the others. {@code OutboxTimer.BACKLOG} calls it. */
    void refresh() {
        List<Long> rows = rows();
        if (rows.isEmpty()) {
            return;
        }
        try {
            Set<Long> lockable = environment.outside(() -> pendingRows.lockable(rows));
            Set<Long> inDoubt = new HashSet<>(environment.outside(() -> pendingRows.pending(rows)));
            inDoubt.removeAll(lockable);
            report(rows, inDoubt);
            if (!inDoubt.isEmpty()) {
                HeldUpKeys keys = environment.outside(() -> heldUp.inDoubt(inDoubt));
                environment.notifyEach(l -> l.keysInDoubt(destination, keys));
            }
        } catch (Exception e) {
            LOG.log(Level.FINE, "the rows in doubt could not be read; the next call reads them", e);
        }
    }

    private synchronized List<Long> rows() {
        return new ArrayList<>(foundAt.keySet());
    }

    private synchronized void report(List<Long> rows, Set<Long> inDoubt) {
        rows.stream().filter(row -> !inDoubt.contains(row)).forEach(foundAt::remove);
        long now = environment.nanoTime();
        Duration longest =
                Duration.ofNanos(now - foundAt.values().stream().findFirst().orElse(now));
        int messages = foundAt.size();
        environment.notifyEach(l -> l.inDoubt(destination, messages, longest));
        if (messages == 0 && line.end() > 0) {
            LOG.info(OutboxCode.IN_DOUBT_ENDED.text(destination));
        } else if (longest.compareTo(REPORT_AFTER) >= 0 && line.due(now) > 0) {
            long first = foundAt.keySet().stream().min(Long::compare).orElseThrow();
            LOG.warning(
                    OutboxCode.IN_DOUBT.text(destination, messages, first, Duration.ofSeconds(longest.toSeconds())));
        }
    }
}
