package dev.cdioutbox.tests.bench.app.handle;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.tests.bench.app.BenchEvent;

/** The work of a handler, the same for all ways: a row for each event. */
@ApplicationScoped
public class HandledWork {
    static final String HANDLER = "handled";

    @Resource(lookup = "java:comp/DefaultDataSource")
    private DataSource dataSource;

    @OutboxHandler(HANDLER)
    public void handle(Handled event) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            work(connection, event);
        }
    }

    static void work(Connection connection, Handled event) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO effect (number, account) VALUES (?, ?)")) {
            insert.setLong(1, BenchEvent.number(event.text()));
            insert.setString(2, event.account());
            insert.executeUpdate();
        }
    }
}
