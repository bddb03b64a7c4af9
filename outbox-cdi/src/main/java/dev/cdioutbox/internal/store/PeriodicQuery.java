package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;

/**
 * A query that may take long and is not a claim's own: it is asked each second, or so much more seldom that it takes a small
 * part of the time. One thread at a time; {@link #ask} may be called by others.
 */
final class PeriodicQuery {
    private static final Logger LOG = Logger.getLogger(PeriodicQuery.class.getName());

    /** A look costs what a claim without read watermarks would: one part in so many of the time, and that on each node. */
    private static final int PERIOD_PER_DURATION = 50;

    private static final long PERIOD = Duration.ofSeconds(1).toNanos();

    /** An operator's transaction may not have ended when the first look comes, at once; the other comes a period later. */
    private static final int RUNS_WHEN_REQUESTED = 2;

    private final Query query;
    private final LongSupplier nanos;
    private final AtomicInteger requestedRuns = new AtomicInteger();
    private long lastRun;
    private long next;
    private boolean failing;

    PeriodicQuery(Query query, LongSupplier nanos) {
        this.query = query;
        this.nanos = nanos;
        this.next = nanos.getAsLong();
    }

    /** At once, and once more after that. */
    void request() {
        requestedRuns.set(RUNS_WHEN_REQUESTED);
    }

    /**
     * If it is time for it. One that fails, as with a time-out, is not the claim's failure, unless the connection is of no use any
     * more.
     *
     * @param seconds after which it is to be given up
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
                LOG.log(Level.WARNING, Problem.REQUEUED_QUERY_FAILED.text(Problem.reason(e)));
            }
            failing = true;
        } finally {
            lastRun = nanos.getAsLong();
            next = lastRun + Math.max(PERIOD, PERIOD_PER_DURATION * (lastRun - start));
        }
    }

    private boolean isDue() {
        long now = nanos.getAsLong();
        int remaining = requestedRuns.get();
        return remaining == RUNS_WHEN_REQUESTED || (remaining > 0 && now - lastRun >= PERIOD) || now - next >= 0;
    }

    /** So that the connection takes statements again. */
    static void recover(Connection connection, SQLException failure) throws SQLException {
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
