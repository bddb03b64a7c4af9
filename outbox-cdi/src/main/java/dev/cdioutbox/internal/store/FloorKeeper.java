package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** A claim takes about as long. */
    private static final long QUICK = Duration.ofMillis(10).toNanos();

    private static final long LOOK_PERIOD = Duration.ofSeconds(1).toNanos();

    /** After that a look is given up, in seconds. Whoever asks for the backlog is waited for: he has less time. */
    private static final int PATIENCE = 30;

    private static final int PATIENCE_OF_A_SURVEY = 5;

    /** An operator's transaction may not have ended when the first look comes, at once; the other comes a period later. */
    private static final int LOOKS_WHEN_ASKED = 2;

    private final Writers writers;
    private final Survey survey;
    private final LongSupplier nanos;
    private final Horizon horizon = new Horizon();
    private final AtomicBoolean busy = new AtomicBoolean();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean claimed;
    private volatile Floors floors = new Floors();
    private long nextHorizon;
    private long looked;
    private long nextLook;
    private boolean refused;
    private boolean failing;

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

    /** An operator puts something back: the next claim is to find it, or one soon after the commit. */
    void lookSoon() {
        asked.set(LOOKS_WHEN_ASKED);
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
                if (patience > 0 && isLookDue()) {
                    lookBelow(connection, patience);
                }
            } finally {
                busy.set(false);
            }
        }
    }

    private boolean isLookDue() {
        long now = nanos.getAsLong();
        int left = asked.get();
        return left == LOOKS_WHEN_ASKED || (left > 0 && now - looked >= LOOK_PERIOD) || now - nextLook >= 0;
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
            recover(connection, e);
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

    /** One that fails, as with a time-out, is not the claim's failure, unless the connection is of no use any more. */
    private void lookBelow(Connection connection, int patience) throws SQLException {
        asked.updateAndGet(left -> Math.max(0, left - 1));
        long start = nanos.getAsLong();
        try {
            if (!floors.isEmpty()) {
                survey.lookBelow(connection, floors, patience);
            }
            lookForDue(connection, patience);
            failing = false;
        } catch (SQLException e) {
            recover(connection, e);
            if (!failing) {
                LOG.log(Level.WARNING, Problem.LOOK_FAILED.text(Problem.reason(e)));
            }
            failing = true;
        } finally {
            looked = nanos.getAsLong();
            nextLook = looked + Math.max(LOOK_PERIOD, LOOK_SHARE * (looked - start));
        }
    }

    /** As long as that is quick, claims do it themselves, and nothing that comes late has to wait for a look. */
    private void lookForDue(Connection connection, int patience) throws SQLException {
        long start = nanos.getAsLong();
        Map<Long, Instant> after = survey.dueAfter(connection, patience);
        floors.dueAfter(nanos.getAsLong() - start > QUICK ? after : Map.of());
    }

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
}
