package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;

/**
 * Keeps the read watermarks up to date: asks now and then who may still write, and what waits below. Where the database cannot tell,
 * all read watermarks stay at the bottom. Thread-safe.
 */
final class ReadWatermarkUpdater {
    private static final Logger LOG = Logger.getLogger(ReadWatermarkUpdater.class.getName());

    /** So old is what is known of the writers at most: what was settled since is met by each claim. */
    private static final long COMMIT_WATERMARK_PERIOD = Duration.ofMillis(100).toNanos();

    private static final long RETRY_PERIOD = Duration.ofMinutes(1).toNanos();

    /** A claim takes about as long. */
    private static final long QUICK_QUERY = Duration.ofMillis(10).toNanos();

    /** After that a look is given up, in seconds. Whoever asks for the backlog is waited for: he has less time. */
    private static final int QUERY_TIMEOUT_SECONDS = 30;

    private static final int BACKLOG_QUERY_TIMEOUT_SECONDS = 5;

    private final InFlightInserts inFlightInserts;
    private final WatermarkQueries refreshUnclaimed;
    private final LongSupplier nanos;
    private final CommitWatermark commitWatermark = new CommitWatermark();
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final PeriodicQuery belowQuery;
    private final PeriodicQuery dueQuery;
    private volatile boolean claimedSinceBacklog;
    private volatile ReadWatermarks watermarks = new ReadWatermarks();
    private long nextCommitWatermark;
    private boolean refused;
    private boolean slow;

    private ReadWatermarkUpdater(InFlightInserts writers, WatermarkQueries survey, LongSupplier nanos) {
        this.inFlightInserts = writers;
        this.refreshUnclaimed = survey;
        this.nanos = nanos;
        this.nextCommitWatermark = nanos.getAsLong();
        this.belowQuery = new PeriodicQuery(this::findBelow, nanos);
        this.dueQuery = new PeriodicQuery(this::findDue, nanos);
    }

    static ReadWatermarkUpdater of(String prefix, Dialect dialect, LongSupplier nanos) {
        return dialect.showsInFlightInserts()
                ? new ReadWatermarkUpdater(new InFlightInserts(prefix), new WatermarkQueries(prefix, dialect), nanos)
                : new ReadWatermarkUpdater(null, null, nanos);
    }

    ReadWatermarks watermarks() {
        return watermarks;
    }

    /** An operator puts something back: the next claim is to find it, or one soon after the commit. */
    void querySoon() {
        belowQuery.request();
        dueQuery.request();
    }

    /**
     * Raises the read watermarks of partitions that nobody claims here: since they are empty, or because of a pause. Each statement
     * has to see what is committed by then, so not in a transaction that may see less.
     */
    void refreshUnclaimed(Connection connection, String application) throws SQLException {
        if (inFlightInserts != null && connection.getAutoCommit()) {
            // Below the read watermarks claims look, if there are any.
            refresh(connection, claimedSinceBacklog ? 0 : BACKLOG_QUERY_TIMEOUT_SECONDS);
            claimedSinceBacklog = false;
            refreshUnclaimed.raiseUnclaimed(connection, application, watermarks);
        }
    }

    /** To be called at the beginning of a transaction, READ COMMITTED. What is read in it afterwards is read above the read watermarks. */
    ReadWatermarks refresh(Connection connection) throws SQLException {
        claimedSinceBacklog = true;
        refresh(connection, QUERY_TIMEOUT_SECONDS);
        return watermarks;
    }

    private void refresh(Connection connection, int timeout) throws SQLException {
        if (inFlightInserts != null && refreshing.compareAndSet(false, true)) {
            try {
                if (nanos.getAsLong() - nextCommitWatermark >= 0) {
                    nextCommitWatermark = nanos.getAsLong()
                            + (refreshCommitWatermark(connection) ? COMMIT_WATERMARK_PERIOD : RETRY_PERIOD);
                }
                if (timeout > 0) {
                    belowQuery.runIfDue(connection, timeout);
                    dueQuery.runIfDue(connection, timeout);
                }
            } finally {
                refreshing.set(false);
            }
        }
    }

    private boolean refreshCommitWatermark(Connection connection) throws SQLException {
        try {
            if (!commitWatermark.observe(inFlightInserts.observe(connection))) {
                watermarks = new ReadWatermarks();
            }
            watermarks.raiseCommitWatermark(commitWatermark.sequence());
            refused = false;
            return true;
        } catch (SQLException e) {
            if (!isRefusal(e)) {
                throw e;
            }
            PeriodicQuery.recover(connection, e);
            if (!refused) {
                LOG.log(Level.INFO, Problem.IN_FLIGHT_INSERTS_UNKNOWN.text(Problem.reason(e)));
            }
            refused = true;
            return false;
        }
    }

    /** Not supported, not known or not allowed; not possible in this state. Whatever else fails is the claim's failure. */
    private static boolean isRefusal(SQLException e) {
        String state = e.getSQLState();
        return state != null && (state.startsWith("0A") || state.startsWith("42") || state.startsWith("55"));
    }

    private void findBelow(Connection connection, int seconds) throws SQLException {
        if (!watermarks.isEmpty()) {
            refreshUnclaimed.findBelow(connection, watermarks, seconds);
        }
    }

    /**
     * As long as that is quick, claims do it themselves, and nothing that comes late has to wait for a look. One that is slow may
     * be a pause of the machine; two in a row are not.
     */
    private void findDue(Connection connection, int seconds) throws SQLException {
        long start = nanos.getAsLong();
        Map<Long, Instant> after = refreshUnclaimed.earliestDue(connection, seconds);
        boolean wasSlow = slow;
        slow = nanos.getAsLong() - start > QUICK_QUERY;
        watermarks.dueAfter(slow && wasSlow ? after : Map.of());
    }
}
