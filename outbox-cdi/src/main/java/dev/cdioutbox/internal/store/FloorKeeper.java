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
 * Keeps the floors up to date: asks now and then who may still write, and what waits below. Where the database cannot tell,
 * all floors stay at the bottom. Thread-safe.
 */
final class FloorKeeper {
    private static final Logger LOG = Logger.getLogger(FloorKeeper.class.getName());

    /** So old is what is known of the writers at most: what was settled since is met by each claim. */
    private static final long HORIZON_PERIOD = Duration.ofMillis(100).toNanos();

    private static final long AFTER_REFUSAL = Duration.ofMinutes(1).toNanos();

    /** A claim takes about as long. */
    private static final long QUICK = Duration.ofMillis(10).toNanos();

    /** After that a look is given up, in seconds. Whoever asks for the backlog is waited for: he has less time. */
    private static final int PATIENCE = 30;

    private static final int PATIENCE_OF_A_SURVEY = 5;

    private final Writers writers;
    private final Survey survey;
    private final LongSupplier nanos;
    private final Horizon horizon = new Horizon();
    private final AtomicBoolean busy = new AtomicBoolean();
    private final RecurringLook below;
    private final RecurringLook due;
    private volatile boolean claimed;
    private volatile Floors floors = new Floors();
    private long nextHorizon;
    private boolean refused;
    private boolean slow;

    private FloorKeeper(Writers writers, Survey survey, LongSupplier nanos) {
        this.writers = writers;
        this.survey = survey;
        this.nanos = nanos;
        this.nextHorizon = nanos.getAsLong();
        this.below = new RecurringLook(this::lookBelow, nanos);
        this.due = new RecurringLook(this::lookForDue, nanos);
    }

    static FloorKeeper of(String prefix, Dialect dialect, LongSupplier nanos) {
        return dialect.tellsWriters()
                ? new FloorKeeper(new Writers(prefix), new Survey(prefix, dialect), nanos)
                : new FloorKeeper(null, null, nanos);
    }

    Floors floors() {
        return floors;
    }

    /** An operator puts something back: the next claim is to find it, or one soon after the commit. */
    void lookSoon() {
        below.ask();
        due.ask();
    }

    /**
     * Raises the floors of partitions that nobody claims here: since they are empty, or because of a pause. Each statement
     * has to see what is committed by then, so not in a transaction that may see less.
     */
    void survey(Connection connection, String application) throws SQLException {
        if (writers != null && connection.getAutoCommit()) {
            // Below the floors claims look, if there are any.
            look(connection, claimed ? 0 : PATIENCE_OF_A_SURVEY);
            claimed = false;
            survey.raise(connection, application, floors);
        }
    }

    /** To be called at the beginning of a transaction, READ COMMITTED. What is read in it afterwards is read above the floors. */
    Floors look(Connection connection) throws SQLException {
        claimed = true;
        look(connection, PATIENCE);
        return floors;
    }

    private void look(Connection connection, int patience) throws SQLException {
        if (writers != null && busy.compareAndSet(false, true)) {
            try {
                if (nanos.getAsLong() - nextHorizon >= 0) {
                    nextHorizon = nanos.getAsLong() + (see(connection) ? HORIZON_PERIOD : AFTER_REFUSAL);
                }
                if (patience > 0) {
                    below.look(connection, patience);
                    due.look(connection, patience);
                }
            } finally {
                busy.set(false);
            }
        }
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
            RecurringLook.recover(connection, e);
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

    private void lookBelow(Connection connection, int seconds) throws SQLException {
        if (!floors.isEmpty()) {
            survey.lookBelow(connection, floors, seconds);
        }
    }

    /**
     * As long as that is quick, claims do it themselves, and nothing that comes late has to wait for a look. One that is slow may
     * be a pause of the machine; two in a row are not.
     */
    private void lookForDue(Connection connection, int seconds) throws SQLException {
        long start = nanos.getAsLong();
        Map<Long, Instant> after = survey.dueAfter(connection, seconds);
        boolean wasSlow = slow;
        slow = nanos.getAsLong() - start > QUICK;
        floors.dueAfter(slow && wasSlow ? after : Map.of());
    }
}
