package dev.cdioutbox.internal.store.watermark;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * Runs a query that may be slow and does not belong to a claim: once in a period, or less often if it is slow. One
 * thread at a time runs the query; any thread may call {@link #runSoon}.
 */
final class PeriodicQuery {
    private static final Logger LOG = Logger.getLogger(PeriodicQuery.class.getName());

    /** The query may take 1/50 of the time on each node. */
    private static final int PERIOD_PER_DURATION = 50;

    private static final long RETRY_PERIOD = Duration.ofMinutes(1).toNanos();

    private final Query query;
    private final long period;
    private final LongSupplier nanos;
    private final AtomicBoolean requested = new AtomicBoolean();
    private long next;
    private boolean failing;

    PeriodicQuery(Query query, Duration period, LongSupplier nanos) {
        this.query = query;
        this.period = period.toNanos();
        this.nanos = nanos;
        this.next = nanos.getAsLong();
    }

    boolean isRequested() {
        return requested.get();
    }

    /** Requests a run at the next call of {@link #runIfDue}. */
    void runSoon() {
        requested.set(true);
    }

    /**
     * Runs the query if it is due. A failure such as a timeout does not fail the claim, unless the connection is
     * broken.
     *
     * @param seconds the timeout of the query
     */
    void runIfDue(Connection connection, int seconds) throws SQLException {
        long start = nanos.getAsLong();
        if (!requested.getAndSet(false) && start - next < 0) {
            return;
        }
        try {
            query.run(connection, seconds);
            failing = false;
        } catch (SQLException e) {
            recover(connection, e);
            if (!failing) {
                LOG.log(Level.WARNING, OutboxCode.READ_WATERMARK_QUERY_FAILED.text(FailureReason.of(e)));
            }
            failing = true;
        } finally {
            long end = nanos.getAsLong();
            next = end + Math.max(failing ? RETRY_PERIOD : period, PERIOD_PER_DURATION * (end - start));
        }
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
