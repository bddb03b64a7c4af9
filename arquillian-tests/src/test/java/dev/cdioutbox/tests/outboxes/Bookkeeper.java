package dev.cdioutbox.tests.outboxes;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.MessageId;

/** A consumer whose work is in the second outbox's database. */
@ApplicationScoped
public class Bookkeeper {
    @Resource(lookup = "jdbc/billing")
    DataSource billing;

    @Inject
    Bookkeeper itself;

    @Transactional
    @IdempotentConsumer(value = "books", outbox = "billing")
    public boolean book(String note, @MessageId String id) throws SQLException {
        try (Connection connection = billing.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO book (note) VALUES (?)")) {
            insert.setString(1, note);
            return insert.executeUpdate() == 1;
        }
    }

    /** A consumer of the same name in another outbox is another consumer, even if the method calls the first one. */
    @Transactional
    @IdempotentConsumer("books")
    public boolean bookForBoth(String note, @MessageId String id) throws SQLException {
        return itself.book(note, id);
    }
}
