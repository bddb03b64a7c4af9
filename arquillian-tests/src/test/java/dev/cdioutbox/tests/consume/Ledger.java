package dev.cdioutbox.tests.consume;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

import jakarta.ejb.EJBException;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The work of the tests' consumers: rows in a table without constraints. */
@Stateless
public class Ledger {
    /** The outbox's own DataSource, so that the work and the inbox are one branch. */
    @Inject
    @ConfigProperty(name = "outbox.datasource", defaultValue = "java:comp/DefaultDataSource")
    String dataSource;

    /** Runs in the caller's transaction, as a consumer's own work does. */
    public void book(String consumer, String note) {
        update("INSERT INTO ledger (consumer, note) VALUES (?, ?)", consumer, note);
    }

    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void open() {
        update("CREATE TABLE IF NOT EXISTS ledger (consumer VARCHAR(64), note VARCHAR(255))");
    }

    public List<String> notes(String consumer, String like) {
        return query("SELECT note FROM ledger WHERE consumer = ? AND note LIKE ?", consumer, like);
    }

    public List<String> inbox(String consumer, String id) {
        return query("SELECT message_id FROM outbox_inbox WHERE consumer = ? AND message_id = ?", consumer, id);
    }

    public List<String> audits(String subject) {
        return query("SELECT action || ' ' || changed FROM outbox_audit WHERE subject LIKE ? ORDER BY id", subject);
    }

    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public int update(String sql, String... parameters) {
        return run(sql, parameters, PreparedStatement::executeUpdate);
    }

    public List<String> query(String sql, String... parameters) {
        return run(sql, parameters, statement -> {
            List<String> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
            return found;
        });
    }

    private <T> T run(String sql, String[] parameters, Work<T> work) {
        try (Connection connection =
                        InitialContext.<DataSource>doLookup(dataSource).getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            return work.with(statement);
        } catch (SQLException | NamingException e) {
            throw new EJBException(sql, e);
        }
    }

    private interface Work<T> {
        T with(PreparedStatement statement) throws SQLException;
    }
}
