package dev.cdioutbox.internal.store.operate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxOperations;

/** The rows with the paused state of each destination. */
public final class ControlTable {
    private static final Logger LOG = Logger.getLogger(ControlTable.class.getName());

    private final String application;
    private final String control;
    private final String pause;
    private final String isPaused;
    private final String insert;

    public ControlTable(String application, Sql sql) {
        this.application = application;
        control = sql.of("{control}");
        pause = sql.of("""
                UPDATE {control} SET paused = :paused, changed_by = :who, changed_at = {now}
                WHERE application = :application AND destination = :destination AND paused = :before""");
        isPaused =
                sql.of("SELECT paused FROM {control} WHERE application = :application AND destination = :destination");
        insert = sql.of(
                "INSERT INTO {control} (application, destination, paused) VALUES (:application, :destination, :paused)");
    }

    /** Creates missing rows. */
    public void prepare(Connection connection, Set<String> destinations) throws SQLException {
        Set<String> wanted = new HashSet<>(destinations);
        wanted.add(OutboxOperations.ALL);
        for (String destination : wanted) {
            if (!exists(connection, destination)) {
                insert(connection, destination, false);
            }
        }
    }

    /**
     * Puts a row back that was deleted, so that operators can pause the destination.
     *
     * @param paused the state when the row was last seen
     */
    public void putBack(Connection connection, String destination, boolean paused) throws SQLException {
        insert(connection, destination, paused);
        LOG.warning(OutboxCode.CONTROL_PUT_BACK.text(destination, control, paused ? "paused" : "not paused"));
    }

    private boolean exists(Connection connection, String destination) throws SQLException {
        return ofRow(connection, isPaused, destination).number() != null;
    }

    private void insert(Connection connection, String destination, boolean paused) throws SQLException {
        try {
            ofRow(connection, insert, destination).set("paused", paused ? 1 : 0).update();
        } catch (SQLException perhapsThereByNow) {
            // Two nodes that start at the same time may both insert the row.
            if (!exists(connection, destination)) {
                throw perhapsThereByNow;
            }
        }
    }

    /**
     * Pauses or resumes a destination.
     *
     * @param who no longer than the column
     * @return whether the call changed the row; null if there is no such destination
     */
    Boolean pause(Connection connection, String destination, boolean pausing, String who) throws SQLException {
        int changed = ofRow(connection, pause, destination)
                .set("paused", pausing ? 1 : 0)
                .set("before", pausing ? 0 : 1)
                .set("who", who)
                .update();
        return changed == 0 && !exists(connection, destination) ? null : (Boolean) (changed > 0);
    }

    private JdbcStatement ofRow(Connection connection, String text, String destination) {
        return JdbcStatement.of(connection, text)
                .set("application", application)
                .set("destination", destination);
    }
}
