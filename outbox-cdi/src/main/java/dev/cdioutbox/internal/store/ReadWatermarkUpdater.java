package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;

/**
 * Updates the read watermarks: queries the in-flight inserts, and now and then the messages below the watermarks. Where
 * the database does not show in-flight inserts, all watermarks stay at 0. Thread-safe.
 */
final class ReadWatermarkUpdater {
    private static final Logger LOG = Logger.getLogger(ReadWatermarkUpdater.class.getName());

    /** The maximum age of the commit watermark. Claims read the index entries that were settled since. */
    private static final long COMMIT_WATERMARK_PERIOD = Duration.ofMillis(100).toNanos();

    private static final long RETRY_PERIOD = Duration.ofMinutes(1).toNanos();

    /** In seconds. The backlog query has less time, since health checks wait for it. */
    private static final int QUERY_TIMEOUT_SECONDS = 30;

    private static final int BACKLOG_QUERY_TIMEOUT_SECONDS = 5;

    private final InFlightInserts inFlightInserts;
    private final WatermarkQueries refreshUnclaimed;
    private final LongSupplier nanos;
    private final CommitWatermark commitWatermark = new CommitWatermark();
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final PeriodicQuery belowQuery;
    private volatile boolean claimedSinceBacklog;
    private volatile ReadWatermarks watermarks = new ReadWatermarks();
    private long nextCommitWatermark;
    private boolean refused;

    private ReadWatermarkUpdater(InFlightInserts writers, WatermarkQueries survey, LongSupplier nanos) {
        this.inFlightInserts = writers;
        this.refreshUnclaimed = survey;
        this.nanos = nanos;
        this.nextCommitWatermark = nanos.getAsLong();
        this.belowQuery = new PeriodicQuery(this::findBelow, nanos);
    }

    static ReadWatermarkUpdater of(String prefix, Dialect dialect, LongSupplier nanos) {
        return dialect.showsInFlightInserts()
                ? new ReadWatermarkUpdater(new InFlightInserts(prefix), new WatermarkQueries(prefix, dialect), nanos)
                : new ReadWatermarkUpdater(null, null, nanos);
    }

    ReadWatermarks watermarks() {
        return watermarks;
    }

    /** An operator requeues messages: the next claim, or one soon after the commit, has to find them. */
    void querySoon() {
        belowQuery.request();
    }

    /**
     * Raises the watermarks of partitions that no node claims, since they are empty or paused. Needs auto-commit: each
     * statement must see all commits before it.
     */
    void refreshUnclaimed(Connection connection, String application) throws SQLException {
        if (inFlightInserts != null && connection.getAutoCommit()) {
            // Claims query below the watermarks, if there are any claims.
            refresh(connection, claimedSinceBacklog ? 0 : BACKLOG_QUERY_TIMEOUT_SECONDS);
            claimedSinceBacklog = false;
            refreshUnclaimed.raiseUnclaimed(connection, application, watermarks);
        }
    }

    /** To be called at the beginning of a READ COMMITTED transaction. Reads after it begin above the watermarks. */
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

    /** Not supported, not allowed or not possible now. Other failures are failures of the claim. */
    private static boolean isRefusal(SQLException e) {
        String state = e.getSQLState();
        return state != null && (state.startsWith("0A") || state.startsWith("42") || state.startsWith("55"));
    }

    private void findBelow(Connection connection, int seconds) throws SQLException {
        if (!watermarks.isEmpty()) {
            refreshUnclaimed.findBelow(connection, watermarks, seconds);
        }
    }
}
