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
 * Keeps the floors up to date: asks now and then who may still write, and what waits below. Where the database cannot tell,
 * all floors stay at the bottom. Thread-safe.
 */
final class FloorKeeper {
    private static final Logger LOG = Logger.getLogger(FloorKeeper.class.getName());

    /** So old is what is known of the writers at most: what was settled since is met by each claim. */
    private static final long HORIZON_PERIOD = Duration.ofMillis(100).toNanos();

    private static final long AFTER_REFUSAL = Duration.ofMinutes(1).toNanos();

    /** The look below the floors costs what a claim without floors would: one part in so many of the time. */
    private static final int LOOK_SHARE = 20;

    private static final long LOOK_PERIOD = Duration.ofSeconds(1).toNanos();

    private final Writers writers;
    private final Survey survey;
    private final LongSupplier nanos;
    private final Horizon horizon = new Horizon();
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile boolean asked;
    private volatile Floors floors = new Floors();
    private long nextHorizon;
    private long nextLook;
    private boolean refused;

    private FloorKeeper(Writers writers, Survey survey, LongSupplier nanos) {
        this.writers = writers;
        this.survey = survey;
        this.nanos = nanos;
        this.nextHorizon = nanos.getAsLong();
        this.nextLook = nextHorizon;
    }

    static FloorKeeper of(String prefix, Dialect dialect, LongSupplier nanos) {
        return dialect.tellsWriters()
                ? new FloorKeeper(new Writers(prefix), new Survey(prefix, dialect), nanos)
                : new FloorKeeper(null, null, nanos);
    }

    Floors floors() {
        return floors;
    }

    /** An operator has put something back: the next claim is to find it. */
    void lookSoon() {
        asked = true;
    }

    /**
     * Raises the floors of partitions that nobody claims here: since they are empty, or because of a pause. Each statement
     * has to see what is committed by then, so not in a transaction that may see less.
     */
    void survey(Connection connection, String application) throws SQLException {
        if (writers != null && connection.getAutoCommit()) {
            Floors known = look(connection);
            survey.raise(connection, application, known);
        }
    }

    /** To be called at the beginning of a transaction, READ COMMITTED. What is read in it afterwards is read above the floors. */
    Floors look(Connection connection) throws SQLException {
        if (writers != null && busy.compareAndSet(false, true)) {
            try {
                if (nanos.getAsLong() - nextHorizon >= 0) {
                    nextHorizon = nanos.getAsLong() + (see(connection) ? HORIZON_PERIOD : AFTER_REFUSAL);
                }
                if (asked || nanos.getAsLong() - nextLook >= 0) {
                    lookBelow(connection);
                }
            } finally {
                busy.set(false);
            }
        }
        return floors;
    }

    private boolean see(Connection connection) throws SQLException {
        try {
            if (!horizon.see(writers.look(connection))) {
                floors = new Floors();
            }
            floors.reach(horizon.reached());
            refused = false;
            return true;
        } catch (SQLException e) {
            if (!isRefusal(e)) {
                throw e;
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            if (!refused) {
                LOG.log(Level.INFO, Problem.FLOORS_UNKNOWN.text(Problem.reason(e)));
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

    private void lookBelow(Connection connection) throws SQLException {
        asked = false;
        long start = nanos.getAsLong();
        if (!floors.isEmpty()) {
            survey.lookBelow(connection, floors);
        }
        long end = nanos.getAsLong();
        nextLook = end + Math.max(LOOK_PERIOD, LOOK_SHARE * (end - start));
    }
}
