package dev.cdioutbox.tests.servers;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

/** Writes a row and its event in a transaction of {@code @Transactional}. */
@ApplicationScoped
public class NoteBook {
    @Resource(lookup = "java:comp/DefaultDataSource")
    private DataSource database;

    @Inject
    private Event<Note> fired;

    @Transactional
    public void write() throws SQLException {
        String id = UUID.randomUUID().toString();
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO note (id) VALUES (?)")) {
            insert.setString(1, id);
            insert.executeUpdate();
        }
        fired.fire(new Note(id));
    }
}
