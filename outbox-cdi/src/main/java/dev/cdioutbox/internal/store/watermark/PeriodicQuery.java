package dev.cdioutbox.internal.store.watermark;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;

/**
 * Runs a query that may be slow and does not belong to a claim: once in a period, or less often if it is slow. One
 * thread at a time runs the query; any thread may call {@link #request}.
 */
final class PeriodicQuery {
    private static final Logger LOG = Logger.getLogger(PeriodicQuery.class.getName());

    /** The query may take 1/50 of the time on each node. */
    private static final int PERIOD_PER_DURATION = 50;

    private static final long RETRY_PERIOD = Duration.ofMinutes(1).toNanos();

    /** An operator's transaction may still be open at the first run; the second run follows a period later. */
    private static final int RUNS_WHEN_REQUESTED = 2;

    private final Query query;
    private final long period;
    private final LongSupplier nanos;
    private final AtomicInteger requestedRuns = new AtomicInteger();
    private long lastRun;
    private long next;
    private boolean failing;

    PeriodicQuery(Query query, Duration period, LongSupplier nanos) {
        this.query = query;
        this.period = period.toNanos();
        this.nanos = nanos;
        this.next = nanos.getAsLong();
    }

    /** Requests a run at the next call of {@link #runIfDue}, and another one after a period. */
    void request() {
        requestedRuns.set(RUNS_WHEN_REQUESTED);
    }

    /**
     * Runs the query if it is due. A failure such as a timeout does not fail the claim, unless the connection is
     * broken.
     *
     * @param seconds the timeout of the query
     */
    void runIfDue(Connection connection, int seconds) throws SQLException {
        if (!isDue()) {
            return;
        }
        requestedRuns.updateAndGet(remaining -> Math.max(0, remaining - 1));
        long start = nanos.getAsLong();
        try {
            query.run(connection, seconds);
            failing = false;
        } catch (SQLException e) {
            recover(connection, e);
            if (!failing) {
                LOG.log(Level.WARNING, Problem.READ_WATERMARK_QUERY_FAILED.text(Problem.reason(e)));
            }
            failing = true;
        } finally {
            lastRun = nanos.getAsLong();
            next = lastRun + Math.max(failing ? RETRY_PERIOD : period, PERIOD_PER_DURATION * (lastRun - start));
        }
    }

    private boolean isDue() {
        long now = nanos.getAsLong();
        int remaining = requestedRuns.get();
        return remaining == RUNS_WHEN_REQUESTED || (remaining > 0 && now - lastRun >= period) || now - next >= 0;
    }

    /** Rolls back, so that the connection accepts statements again. */
    private static void recover(Connection connection, SQLException failure) throws SQLException {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException gone) {
            failure.addSuppressed(gone);
            throw failure;
        }
    }

    interface Query {
        void run(Connection connection, int seconds) throws SQLException;
    }
}
