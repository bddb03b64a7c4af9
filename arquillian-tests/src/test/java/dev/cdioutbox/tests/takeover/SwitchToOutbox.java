package dev.cdioutbox.tests.takeover;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;

@ApplicationScoped
public class SwitchToOutbox {
    @Resource(lookup = "java:comp/DefaultDataSource")
    private DataSource database;

    /** Ask this when the transaction has locked the row of the aggregate, and not before. */
    public boolean isOn() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT is_on FROM switch_to_outbox")) {
            row.next();
            return row.getBoolean("is_on");
        }
    }
}
