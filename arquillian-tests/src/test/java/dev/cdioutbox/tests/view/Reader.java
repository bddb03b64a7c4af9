package dev.cdioutbox.tests.view;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

import dev.cdioutbox.persistence.OutboxMessageView;

/** Reads the outbox's view as an application does, and attempts forbidden changes. */
@Stateless
public class Reader {
    @PersistenceContext
    EntityManager entities;

    @Inject
    Event<Noted> noted;

    @Resource(lookup = "jdbc/generated")
    DataSource database;

    public void note(String id) {
        entities.persist(new Note(id));
        noted.fire(new Noted(id));
    }

    public long notes(String id) {
        return entities.createQuery("SELECT COUNT(n) FROM Note n WHERE n.id = :id", Long.class)
                .setParameter("id", id)
                .getSingleResult();
    }

    public List<OutboxMessageView> messages(String key) {
        return entities.createQuery(
                        "SELECT m FROM OutboxMessageView m WHERE m.messageKey = :key AND m.status ="
                                + " dev.cdioutbox.OutboxStatus.PENDING ORDER BY m.sequence",
                        OutboxMessageView.class)
                .setParameter("key", key)
                .getResultList();
    }

    public void remove(String key) {
        messages(key).forEach(entities::remove);
    }

    public void persistCopy(String key) throws ReflectiveOperationException {
        var constructor = OutboxMessageView.class.getDeclaredConstructor();
        constructor.setAccessible(true);
        OutboxMessageView copy = constructor.newInstance();
        var sequence = OutboxMessageView.class.getDeclaredField("sequence");
        sequence.setAccessible(true);
        sequence.set(copy, messages(key).get(0).getSequence() + 1_000_000);
        entities.persist(copy);
    }

    public int update(String jpql, String key) {
        return entities.createQuery(jpql).setParameter("key", key).executeUpdate();
    }

    public String tableType() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement select = connection.createStatement();
                ResultSet row = select.executeQuery("SELECT table_type FROM information_schema.tables"
                        + " WHERE table_schema = CURRENT_SCHEMA AND LOWER(table_name) = 'outbox_message_view'")) {
            return row.next() ? row.getString(1) : "absent";
        }
    }
}
