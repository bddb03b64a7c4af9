package dev.cdioutbox.tests.takeover;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

@ApplicationScoped
public class TakeOver {
    private static final int BATCH = 500;

    @Resource(lookup = "java:comp/DefaultDataSource")
    private DataSource database;

    @Inject
    private Event<Object> events;

    /** Fires the next rows as events, deletes them in the same transaction, and returns their number. */
    @Transactional(rollbackOn = Exception.class)
    public int next(OldRows old) throws Exception {
        try (Connection connection = database.getConnection();
                PreparedStatement select = connection.prepareStatement(old.select());
                PreparedStatement delete = connection.prepareStatement(old.delete())) {
            select.setMaxRows(BATCH);
            int taken = 0;
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    events.fire(old.reader().event(rows));
                    delete.setObject(1, rows.getObject("id"));
                    delete.addBatch();
                    taken++;
                }
            }
            delete.executeBatch();
            return taken;
        }
    }
}
